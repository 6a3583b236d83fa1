"""Pages of stages played in rounds."""
