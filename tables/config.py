"""A build's config: the TOML read into a validated, frozen model.

Every key is written in the TOML; there are no hidden defaults, so the text says all that decides
a table. Nothing is coerced: ``"5"``, ``5.0`` and ``true`` are not whole numbers.

One key may be left out: ``target_win_se``, a standard error. With it ``deals`` is the most that is
played: the build stops at the first multiple of 64 chunks at which the error of every cell's
``win`` is under it. Without it all ``deals`` are played.
"""

import difflib
import json
import os
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from .names import ConfigError, is_name, read_config

BATCHES = 64
"""A build's chunks fall into this many batches, whose spread gives the standard errors."""

MIN_TARGET, MAX_TARGET = 31, 255
MAX_SEED = 2**63 - 1
MAX_DEALS = 10**13
MAX_CHUNK = 10**8
MAX_DISCARD_ROUNDS = 10

CardPlay = Literal["greedy", "look-ahead", "equilibrium"]
CARD_PLAYS: tuple[CardPlay, ...] = ("greedy", "look-ahead", "equilibrium")


def _said(value: object) -> str:
    """Return `value` as the TOML would write it, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _refusal(expected: str, value: object) -> PydanticCustomError:
    return PydanticCustomError(
        "config", "expected {expected}, got {value}", {"expected": expected, "value": _said(value)}
    )


def _whole(low: int, high: int) -> BeforeValidator:
    """Accept whole numbers from `low` to `high` and nothing else."""

    def check(value: object) -> int:
        if type(value) is not int or not low <= value <= high:
            raise _refusal(f"a whole number from {low:,} to {high:,}", value)
        return value

    return BeforeValidator(check)


def _error(value: object) -> float | None:
    """Accept a standard error of a probability, a decimal fraction between 0 and 1, or no key."""
    if value is None:
        return None
    if type(value) is not float or not 0 < value < 1:
        raise _refusal("a standard error between 0 and 1, as 0.0001", value)
    return value


def _line(value: object) -> int | None:
    """Accept a skunk line: a score from 0, or ``"none"`` (None in the model)."""
    if value == "none" or value is None:
        return None
    if type(value) is not int or not 0 <= value < MAX_TARGET:
        raise _refusal(f'a score from 0 to {MAX_TARGET - 1}, or "none"', value)
    return value


def _card_play(value: object) -> object:
    if value not in CARD_PLAYS:
        raise _refusal(" or ".join(f'"{name}"' for name in CARD_PLAYS), value)
    return value


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Game(_Section):
    """The score that wins, and the lines at or under which the loser is skunked (None: no line)."""

    target: Annotated[int, _whole(MIN_TARGET, MAX_TARGET)]
    skunk: Annotated[int | None, BeforeValidator(_line)]
    double_skunk: Annotated[int | None, BeforeValidator(_line)]

    @model_validator(mode="after")
    def _lines_in_order(self) -> Self:
        if self.skunk is not None and self.skunk >= self.target:
            raise PydanticCustomError(
                "skunk",
                "must be under the target ({target}), got {skunk}",
                {"target": self.target, "skunk": self.skunk},
            )
        if self.double_skunk is not None and self.skunk is None:
            raise PydanticCustomError(
                "double_skunk",
                'a double skunk needs a skunk line, but skunk = "none"; got {double}',
                {"double": self.double_skunk},
            )
        if (
            self.double_skunk is not None
            and self.skunk is not None
            and self.double_skunk >= self.skunk
        ):
            raise PydanticCustomError(
                "double_skunk",
                "must be under the skunk line ({skunk}), got {double}",
                {"skunk": self.skunk, "double": self.double_skunk},
            )
        return self


class Strategy(_Section):
    """What both players do: rounds of the discard rule, and the rule of the card play."""

    discard_rounds: Annotated[int, _whole(1, MAX_DISCARD_ROUNDS)]
    card_play: Annotated[CardPlay, BeforeValidator(_card_play)]


class Settings(_Section):
    """The keys of a config's TOML, all required but `target_win_se`."""

    seed: Annotated[int, _whole(0, MAX_SEED)]
    deals: Annotated[int, _whole(1, MAX_DEALS)]
    chunk: Annotated[int, _whole(1, MAX_CHUNK)]
    game: Game
    strategy: Strategy
    target_win_se: Annotated[float | None, BeforeValidator(_error)] = None

    @model_validator(mode="after")
    def _whole_batches(self) -> Self:
        step = BATCHES * self.chunk
        if self.deals % step:
            below = self.deals // step * step
            near = f"{below:,} or {below + step:,}" if below else f"{step:,}"
            raise PydanticCustomError(
                "deals",
                "must be a multiple of {batches} chunks of {chunk} deals, got {deals} "
                "(nearest: {near})",
                {
                    "batches": BATCHES,
                    "chunk": f"{self.chunk:,}",
                    "deals": f"{self.deals:,}",
                    "near": near,
                },
            )
        return self


class Config(Settings):
    """A checked config: its keys, and the name, text and digest of the TOML they come from."""

    name: str
    text: str
    digest: str


def load_config(config: str | os.PathLike[str]) -> Config:
    """Read a build's config.

    Parameters
    ----------
    config
        A bare name (``reference`` means ``configs/reference.toml`` of this repository or
        install) or the path of a TOML file.

    Raises
    ------
    ConfigError
        One line for each bad key: unknown, missing, of the wrong type, or impossible; or one line
        for a file that is missing, unreadable or not TOML.
    """
    source = read_config(config)
    try:
        settings = Settings.model_validate(source.values)
    except ValidationError as error:
        lines = [f"{source.path}: {_explain(fault)}" for fault in error.errors()]
        raise ConfigError("\n".join(lines)) from None
    return Config(**dict(settings), name=source.name, text=source.text, digest=source.digest)


def _explain(fault: ErrorDetails) -> str:
    """Return one fault found by pydantic as `key: what was expected, what was given`."""
    place = [str(part) for part in fault["loc"]]
    place = [part if is_name(part) else _said(part) for part in place]
    key = ".".join(place)
    match fault["type"]:
        case "missing":
            return f"{key}: missing; every key must be written"
        case "extra_forbidden":
            known = _keys(place[:-1])
            near = difflib.get_close_matches(place[-1], known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the keys here: {', '.join(known)}"
            return f"{key}: unknown key; {hint}"
        case "model_type" | "model_attributes_type":
            return f"{key}: expected a table [{key}], got {_said(fault['input'])}"
        case "skunk" | "double_skunk" | "deals":
            return f"{'.'.join([*place, fault['type']])}: {fault['msg']}"
        case _:
            return f"{key}: {fault['msg']}"


def _keys(section: list[str]) -> list[str]:
    """Return the known keys of a section of the TOML (an empty path: the top level)."""
    fields: dict[str, Any] = dict(Settings.model_fields)
    for part in section:
        fields = dict(fields[part].annotation.model_fields)
    return sorted(fields)
