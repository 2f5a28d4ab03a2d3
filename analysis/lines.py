"""JSON read with line numbers: objects, lists and texts know where they stand in the file."""

import json
import json.decoder
import json.scanner
from typing import Any


class _LinedObject(dict[str, Any]):
    line: int


class _LinedList(list[Any]):
    line: int


class _LinedText(str):
    line: int

    __slots__ = ("line",)


class _LinedDecoder(json.JSONDecoder):
    """Python's own decoder, told to note lines; the compiled scanner takes no such hooks."""

    def __init__(self) -> None:
        super().__init__()
        self.parse_object = _parse_object
        self.parse_array = _parse_array
        self.parse_string = _parse_text
        self.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def _parse_object(start: tuple[str, int], *rest: Any) -> tuple[_LinedObject, int]:
    text, place = start
    found, end = json.decoder.JSONObject(start, *rest)  # type: ignore[attr-defined]
    lined = _LinedObject(found)
    lined.line = text.count("\n", 0, place) + 1
    return lined, end


def _parse_array(start: tuple[str, int], *rest: Any) -> tuple[_LinedList, int]:
    text, place = start
    found, end = json.decoder.JSONArray(start, *rest)  # type: ignore[attr-defined]
    lined = _LinedList(found)
    lined.line = text.count("\n", 0, place) + 1
    return lined, end


def _parse_text(text: str, place: int, strict: bool = True) -> tuple[_LinedText, int]:
    found, end = json.decoder.scanstring(text, place, strict)  # type: ignore[attr-defined]
    lined = _LinedText(found)
    lined.line = text.count("\n", 0, place) + 1
    return lined, end


def load_with_lines(text: str) -> Any:
    """Return the values of a JSON text; ``line_of`` tells where they stand.

    Raises
    ------
    json.JSONDecodeError
        If it is not JSON.
    """
    return _LinedDecoder().decode(text)


def line_of(value: Any, default: int) -> int:
    """Return the line where an object, a list or a text begins, else the default."""
    return int(getattr(value, "line", default))
