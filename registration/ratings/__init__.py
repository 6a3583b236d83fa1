"""Rating lists of federations: read from their files, kept in the database, searched while somebody types."""
