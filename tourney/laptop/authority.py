"""A certificate authority of one's own for a hall without the internet: `manage.py serve --lan` speaks https with it.

Browsers give a page its offline worker and a camera only where the connection is secure, and nobody signs a
certificate for 192.168.0.7. So the laptop signs its own; a tablet trusts it once (the page `/trust/` says how). The
authority can vouch for private addresses, the laptop's own one, and `.local` names only (name constraints, RFC 5280,
4.2.1.10), so a tablet that trusts it is no easier to deceive about any other site. Its key stays in the data folder.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_DAYS = 10 * 365
SERVER_DAYS = 397  # what browsers accept
RENEW_DAYS = 30
_PRIVATE = tuple(
    ipaddress.ip_network(network)
    for network in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "127.0.0.0/8")
)


@dataclass(frozen=True, slots=True)
class Authority:
    """The files of a folder: the authority's certificate and key, the server's certificate and key."""

    folder: Path

    @property
    def certificate(self) -> Path:
        return self.folder / "authority.pem"

    @property
    def server_certificate(self) -> Path:
        return self.folder / "server.pem"

    @property
    def server_key(self) -> Path:
        return self.folder / "server-key.pem"

    @property
    def _key(self) -> Path:
        return self.folder / "authority-key.pem"

    def prepare(self, addresses: Sequence[str], now: dt.datetime | None = None) -> None:
        """Make what is missing: the authority once, the server's certificate when an address is new or time runs out.

        `addresses` are this machine's in the local network. One that is not private and that the authority was not made
        for needs a new authority, which the tablets must trust anew.
        """
        moment = now or dt.datetime.now(dt.UTC)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._may_vouch_for(addresses):
            self._make_authority(addresses, moment)
        if not self._serves(addresses, moment):
            self._make_server(addresses, moment)

    def fingerprint(self) -> str:
        """Return the SHA-256 of the authority's certificate as devices show it: `AB:CD:…`."""
        found = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        return found.fingerprint(hashes.SHA256()).hex(":").upper()

    def _may_vouch_for(self, addresses: Sequence[str]) -> bool:
        if not self.certificate.exists() or not self._key.exists():
            return False
        found = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        limits = found.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
        networks = [ipaddress.ip_network(str(name.value)) for name in limits if isinstance(name, x509.IPAddress)]
        return all(any(ipaddress.ip_address(one) in network for network in networks) for one in addresses)

    def _make_authority(self, addresses: Sequence[str], now: dt.datetime) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Tourney {socket.gethostname()} {now:%Y-%m-%d}")])
        own = [ipaddress.ip_network(address) for address in addresses]  # a network of one
        allowed: list[x509.GeneralName] = [x509.IPAddress(network) for network in dict.fromkeys([*_PRIVATE, *own])]
        allowed += [x509.DNSName("local"), x509.DNSName("localhost")]
        built = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=AUTHORITY_DAYS))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .add_extension(x509.NameConstraints(permitted_subtrees=allowed, excluded_subtrees=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        _write(self._key, _pem(key))
        _write(self.certificate, built.public_bytes(serialization.Encoding.PEM))
        self.server_certificate.unlink(missing_ok=True)

    def _serves(self, addresses: Sequence[str], now: dt.datetime) -> bool:
        """Return whether the server's certificate is there, for these addresses, and good for a while."""
        if not self.server_certificate.exists() or not self.server_key.exists():
            return False
        found = x509.load_pem_x509_certificates(self.server_certificate.read_bytes())[0]
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        known = {str(address) for address in names.get_values_for_type(x509.IPAddress)}
        return set(addresses) <= known and found.not_valid_after_utc - now > dt.timedelta(days=RENEW_DAYS)

    def _make_server(self, addresses: Sequence[str], now: dt.datetime) -> None:
        issuer = x509.load_pem_x509_certificate(self.certificate.read_bytes())
        signer = serialization.load_pem_private_key(self._key.read_bytes(), None)
        if not isinstance(signer, ec.EllipticCurvePrivateKey):
            raise ValueError(f"{self._key} holds no key of this authority")
        key = ec.generate_private_key(ec.SECP256R1())
        numbers = dict.fromkeys([*addresses, "127.0.0.1"])
        names: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address(number)) for number in numbers]
        names += [x509.DNSName("localhost"), x509.DNSName(f"{socket.gethostname().split('.')[0].lower()}.local")]
        built = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tourney")]))
            .issuer_name(issuer.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + dt.timedelta(days=SERVER_DAYS - 1))
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()),
                critical=False,
            )
            .sign(signer, hashes.SHA256())
        )
        _write(self.server_key, _pem(key))
        chain = built.public_bytes(serialization.Encoding.PEM) + self.certificate.read_bytes()
        _write(self.server_certificate, chain)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _write(path: Path, content: bytes) -> None:
    """Write a file only its owner can read, whole or not at all."""
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    fresh.replace(path)
