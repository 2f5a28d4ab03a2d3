"""Where configs and tables lie, and the digest by which a table knows its config.

A bare name (`reference`) means ``configs/reference.toml`` and ``tables/data/reference.parquet`` of
this repository or install; anything with a dot or a slash, and every `Path`, is a path.

Light on purpose (no numpy, no pydantic): the lookup uses it to tell a stale table.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
TABLES = Path(__file__).resolve().parent / "data"
MAX_CONFIG_BYTES = 1 << 20

_NAME = re.compile(r"[A-Za-z0-9_-]+")


class ConfigError(ValueError):
    """A config that cannot be used: one line for each fault, each naming its key or file."""


class ConfigSource(NamedTuple):
    """A config as read from its file, its keys not yet checked."""

    path: Path
    name: str
    text: str
    values: dict[str, Any]
    digest: str


def is_name(text: str | os.PathLike[str]) -> bool:
    """Whether `text` is a bare name (letters, digits, ``-`` and ``_``) and not a path."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def config_path(config: str | os.PathLike[str]) -> Path:
    """Return the TOML that `config`, a bare name or a path, means; it need not exist."""
    return CONFIGS / f"{config}.toml" if is_name(config) else Path(config)


def table_path(table: str | os.PathLike[str]) -> Path:
    """Return the Parquet file that `table`, a config's bare name or a path, means."""
    return TABLES / f"{table}.parquet" if is_name(table) else Path(table)


def config_digest(values: Mapping[str, Any]) -> str:
    """Return the sha256 (hex) of a parsed TOML as sorted JSON: comments and order do not count."""
    text = json.dumps(
        values, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_config(config: str | os.PathLike[str]) -> ConfigSource:
    """Read and parse the TOML that `config`, a bare name or a path, means.

    Raises
    ------
    ConfigError
        If there is no such file, it cannot be read, or it is not TOML; a missing file's message
        lists the configs that exist.
    """
    import tomllib  # only who names a config waits for it

    path = config_path(config)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        names = ", ".join(sorted(found.stem for found in CONFIGS.glob("*.toml"))) or "none"
        raise ConfigError(f"{path}: no such config; configs by name: {names}") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if len(raw) > MAX_CONFIG_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_CONFIG_BYTES:,} bytes: not a config")
    if not is_name(path.stem):
        raise ConfigError(
            f"{path}: a config's file name is made of letters, digits, - and _; got {path.stem!r}"
        )
    try:
        text = raw.decode("utf-8")
        values = tomllib.loads(text)
        digest = config_digest(values)
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not TOML: not UTF-8 text") from None
    except ValueError as error:  # bad TOML, or a whole number of thousands of digits
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{path}: not TOML: nested too deeply") from None
    return ConfigSource(path, path.stem, text, values, digest)
