"""Encryption at rest. Fernet: AES-128-CBC with HMAC-SHA256, https://github.com/fernet/spec/blob/master/Spec.md"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bot.errors import BadSetting

VARIABLE = "CRAWLER_INSPECTOR_STATE_KEYS"
MAKE_ONE = 'python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"'


class Seal:
    """Seals JSON objects with the first key and opens them with any: a new key goes in front of the old one."""

    def __init__(self, keys: Sequence[str]) -> None:
        """Raises BadSetting, which never repeats a key."""
        self._fernet = MultiFernet([_fernet(place, key) for place, key in enumerate(keys, 1)]) if keys else None

    def seal(self, record: Mapping[str, Any]) -> str:
        """The record, encrypted. Raises BadSetting where there is no key."""
        return self._keyed().encrypt(json.dumps(record).encode()).decode()

    def unseal(self, sealed: str) -> dict[str, Any]:
        """The record again. Raises BadSetting where no key opens it."""
        try:
            record: dict[str, Any] = json.loads(self._keyed().decrypt(sealed))
        except InvalidToken as error:
            raise BadSetting(_unopened()) from error
        return record

    def reseal(self, sealed: str) -> str:
        """The same record, encrypted with the first key. Raises BadSetting where no key opens it."""
        try:
            return self._keyed().rotate(sealed).decode()
        except InvalidToken as error:
            raise BadSetting(_unopened()) from error

    def _keyed(self) -> MultiFernet:
        if self._fernet is None:
            raise BadSetting(
                f"{VARIABLE} is empty: tokens of workspaces are only kept encrypted. Make a key: {MAKE_ONE}"
            )
        return self._fernet


def key_from(secret: str) -> str:
    """A Fernet key that whoever has the secret makes again: HKDF with SHA-256, RFC 5869."""
    derived = HKDF(SHA256(), length=32, salt=None, info=b"crawler-inspector requests at rest")
    return base64.urlsafe_b64encode(derived.derive(secret.encode("utf-8", "surrogatepass"))).decode()


def _fernet(place: int, key: str) -> Fernet:
    try:
        return Fernet(key.strip())
    except ValueError as error:
        raise BadSetting(
            f"{VARIABLE}: key {place} is not 32 bytes in URL-safe base64. Make a key: {MAKE_ONE}"
        ) from error


def _unopened() -> str:
    return f"{VARIABLE}: no key opens the tokens in the database; add the key that they were written with, as the last."
