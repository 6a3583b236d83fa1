"""Pages of registration: the public form, the entrant's own page, and the staff's lists, desk and cash book."""
