"""What is known about people and nobody else's business: consents, papers, export, deletion, how long things are kept."""
