"""What is nobody else's business about people: consents, papers, export, deletion, and how long things are kept."""
