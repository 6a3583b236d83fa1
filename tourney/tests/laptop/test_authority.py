"""The hall's own certificate authority: a server it vouches for is trusted, one it may not vouch for is not."""

from __future__ import annotations

import datetime as dt
import ipaddress
import socket
import ssl
import stat
import threading
from pathlib import Path

import pytest
from cryptography import x509

from tourney.laptop.authority import Authority


def greet(authority: Authority, name: str, trusted: Path) -> str:
    """Connect to a server with the authority's certificate as `name`; return what it says."""
    inside = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    inside.load_cert_chain(authority.server_certificate, authority.server_key)
    outside = ssl.create_default_context(cafile=str(trusted))
    ours, theirs = socket.socketpair()

    def serve() -> None:
        try:
            with inside.wrap_socket(theirs, server_side=True) as server:
                server.sendall(b"good day")
        except OSError:
            theirs.close()  # the other side did not trust it

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with outside.wrap_socket(ours, server_hostname=name) as client:
            return client.recv(20).decode()
    finally:
        ours.close()
        thread.join()


def test_a_device_that_trusts_the_authority_trusts_the_server(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "authority")
    authority.prepare(["192.168.7.5"])

    assert greet(authority, "192.168.7.5", authority.certificate) == "good day"
    assert greet(authority, "localhost", authority.certificate) == "good day"
    with pytest.raises(ssl.SSLCertVerificationError):
        greet(authority, "192.168.7.6", authority.certificate)


def test_a_stranger_is_not_trusted(tmp_path: Path) -> None:
    ours, other = Authority(tmp_path / "a"), Authority(tmp_path / "b")
    ours.prepare(["192.168.7.5"])
    other.prepare(["192.168.7.5"])

    with pytest.raises(ssl.SSLCertVerificationError):
        greet(ours, "192.168.7.5", other.certificate)


def test_the_authority_can_not_vouch_for_a_site_of_the_internet(tmp_path: Path) -> None:
    """Even somebody who has stolen its key deceives no tablet about 8.8.8.8."""
    authority = Authority(tmp_path / "authority")
    authority.prepare(["192.168.7.5"])
    authority._make_server(["8.8.8.8"], dt.datetime.now(dt.UTC))

    with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
        greet(authority, "8.8.8.8", authority.certificate)


def test_a_network_that_is_not_private_gets_an_authority_of_its_own(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "authority")
    authority.prepare(["192.168.7.5"])
    private = authority.fingerprint()

    authority.prepare(["203.0.113.9"])

    assert authority.fingerprint() != private
    assert greet(authority, "203.0.113.9", authority.certificate) == "good day"


def test_the_authority_stays_and_the_certificate_follows_the_address_and_the_time(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "authority")
    now = dt.datetime(2027, 1, 25, 9, tzinfo=dt.UTC)
    authority.prepare(["192.168.7.5"], now)
    first, mark = authority.server_certificate.read_bytes(), authority.fingerprint()

    authority.prepare(["192.168.7.5"], now + dt.timedelta(days=300))
    assert authority.server_certificate.read_bytes() == first
    authority.prepare(["10.0.0.9"], now + dt.timedelta(days=300))
    second = authority.server_certificate.read_bytes()
    assert second != first
    authority.prepare(["10.0.0.9"], now + dt.timedelta(days=690))
    assert authority.server_certificate.read_bytes() != second

    assert authority.fingerprint() == mark
    names = x509.load_pem_x509_certificates(second)[0].extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert ipaddress.ip_address("10.0.0.9") in names.value.get_values_for_type(x509.IPAddress)


def test_keys_are_the_owners_own(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "authority")
    authority.prepare([])

    for file in authority.folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
