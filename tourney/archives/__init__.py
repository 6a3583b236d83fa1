"""One event as one file: written here, read on another installation, moved there and back while it is running."""
