"""Signing in: how often one may try, the second factor, the devices that are signed in, and invitations (ADR 0018).

The library django-allauth does the work; here is what it asks for: limits that are counted before a password is hashed
(`guard`, `knocks`), its adapters, forms and pages in our words, and who needs a second factor (`needs`).
"""
