"""What a table says of its own making: one JSON document, sealed by two hashes.

``values_sha256`` is of the value columns alone, so that equal values can be told on any machine;
``content_sha256`` is of all the other metadata, ``values_sha256`` among it. The text in the file
is the document's one canonical form: any other byte is damage.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

FORMAT_VERSION = 1

MAX_TARGET = 255
"""Scores are uint8 columns."""

_KEYS: dict[str, type | tuple[type, ...]] = {
    "config": dict,
    "seed": int,
    "deals": int,
    "target": int,
    "skunk": (int, type(None)),
    "double_skunk": (int, type(None)),
    "strategy": dict,
    "code_digest": str,
    "versions": dict,
    "means": dict,
}
_TEXTS = {"config": ("name", "text", "digest"), "strategy": ("name", "digest")}
_SEALS = ("format_version", "values_sha256", "content_sha256")


class OtherVersionError(ValueError):
    """The table was written in another format version."""


def seal(provenance: Mapping[str, Any], values_sha256: str) -> bytes:
    """Return the text to be kept in a table's file, the format version and both hashes added."""
    bare = {key: provenance[key] for key in provenance if key not in _SEALS}
    return _canonical(_sealed(bare | {"format_version": FORMAT_VERSION}, values_sha256))


def unseal(text: bytes) -> dict[str, Any]:
    """Return the provenance that `seal` wrote, the hashes and the format version included.

    Raises
    ------
    OtherVersionError
        If it is of another format version.
    ValueError
        If it is not, to the byte, what `seal` could have written.
    """
    try:
        provenance = json.loads(text)
        canonical = _canonical(provenance)
    except (ValueError, RecursionError):
        raise ValueError("its provenance is not JSON") from None
    if not isinstance(provenance, dict):
        raise ValueError("its provenance is no JSON object")
    version = provenance.get("format_version")
    if type(version) is not int or version != FORMAT_VERSION:
        raise OtherVersionError(f"format version {version!r}; this is version {FORMAT_VERSION}")
    bare = {key: provenance[key] for key in provenance if key not in _SEALS[1:]}
    if canonical != text or provenance != _sealed(bare, provenance.get("values_sha256")):
        raise ValueError("its provenance does not fit the hash written with it")
    if fault := provenance_fault(provenance):
        raise ValueError(fault)
    return provenance


def provenance_fault(provenance: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the keys that every reader relies on, or None."""
    for key, kind in _KEYS.items():
        if key not in provenance:
            return f"provenance: no key {key!r}"
        if not isinstance(provenance[key], kind) or isinstance(provenance[key], bool):
            return f"provenance: {key} is of type {type(provenance[key]).__name__}"
    for section, keys in _TEXTS.items():
        for key in keys:
            if not isinstance(provenance[section].get(key), str):
                return f"provenance: {section} has no text {key!r}"
    target = provenance["target"]
    if not 1 <= target <= MAX_TARGET:
        return f"provenance: target {target} is not from 1 to {MAX_TARGET}"
    for key in ("skunk", "double_skunk"):
        line = provenance[key]
        if line is not None and not 0 <= line < target:
            return f"provenance: {key} line {line} is not under the target {target}"
    return None


def _sealed(provenance: Mapping[str, Any], values_sha256: object) -> dict[str, Any]:
    sealed = dict(provenance) | {"values_sha256": values_sha256}
    return sealed | {"content_sha256": hashlib.sha256(_canonical(sealed)).hexdigest()}


def _canonical(document: object) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
