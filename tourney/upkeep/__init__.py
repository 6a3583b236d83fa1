"""Running the program for years: is it well, what does it do, what to say when its database is away."""
