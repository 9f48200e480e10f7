"""Certificates for servers of tests: of an authority or of nobody, valid or not."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from typing import Any

import pytest

DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Certificate:
    """A certificate with its key, as PEM."""

    pem: bytes
    key_pem: bytes
    key: Any
    name: Any


def certificate(
    name: str, *, since: datetime.timedelta, until: datetime.timedelta, signed_by: Certificate | None = None
) -> Certificate:
    """A certificate of loopback, valid between two moments that are counted from now; without an authority it signs itself."""
    pytest.importorskip("cryptography", reason="no cryptography: nothing signs certificates")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signed_by.name if signed_by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + since)
        .not_valid_after(now + until)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=signed_by is None, path_length=None), critical=True)
        .sign(signed_by.key if signed_by else key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    key_pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    return Certificate(made.public_bytes(serialization.Encoding.PEM), key_pem, key, subject)
