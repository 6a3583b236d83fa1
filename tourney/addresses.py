"""Whose request it is: the visitor's address as the last of our own proxies saw it, never as the visitor says."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "0.0.0.0"  # noqa: S104 -- stands for a request that came by a socket of this machine, nothing listens there


def address_of(request: HttpRequest) -> str:
    """Return the visitor's address; `UNKNOWN` where the request says none.

    `TRUSTED_PROXIES` proxies of ours each append what they saw to `X-Forwarded-For`; whatever stands before their
    entries was written by the visitor and counts for nothing.
    """
    proxies = settings.TRUSTED_PROXIES
    forwarded = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    said = forwarded[-proxies] if proxies and len(forwarded) >= proxies else str(request.META.get("REMOTE_ADDR", ""))
    try:
        return str(ipaddress.ip_address(said.removeprefix("[").partition("]")[0] if said[:1] == "[" else said))
    except ValueError:
        host = said.rpartition(":")[0]  # some proxies add the port
        try:
            return str(ipaddress.ip_address(host))
        except ValueError:
            return UNKNOWN


def network_of(request: HttpRequest) -> str:
    """Return what counts as one place: an address, of IPv6 the /64 a household or a server gets as a whole."""
    address = ipaddress.ip_address(address_of(request))
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
