"""Forms of the core: the regulation's editor and the wizard that makes an event."""
