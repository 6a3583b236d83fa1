"""Notices of one's own pairing: who asked for them, by letter or by Telegram, and what each was told."""
