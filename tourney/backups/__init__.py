"""Copies of everything, and the way back: the whole installation as one file (`manage.py backup` and `restore`)."""
