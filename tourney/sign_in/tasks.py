"""Letters about accounts, sent by the worker."""

from __future__ import annotations

from celery import shared_task

from tourney.sign_in import letters


@shared_task(name=letters.FORGOTTEN)
def write_about_password(pks: list[int], base: str, language: str) -> None:
    """Send the link for a new password to the addresses in rows `pks`."""
    letters.write_about_password(pks, base, language)


@shared_task(name=letters.PROVE)
def write_to_prove(pk: int, base: str, language: str) -> None:
    """Ask at the address in row `pk` whether it is its owner's."""
    letters.write_to_prove(pk, base, language)
