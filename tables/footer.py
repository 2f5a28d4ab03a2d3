"""Walk a Parquet file's own structure before any other parser sees it.

pyarrow takes the whole process down on some flipped bytes of a footer (an unknown codec is a C++
exception that nobody catches), and a compressed page or a dictionary may claim any size. So the
footer and the page headers are read here first, in plain Python with every length checked; what is
not laid out exactly as our own tables are is refused.

The format is Thrift's compact protocol; field numbers are those of parquet.thrift
(github.com/apache/parquet-format). A struct becomes a dict by field number.
"""

from typing import Any, TypeVar

MAGIC = b"PAR1"
MAX_DEPTH = 12
MAX_PARTS = 1 << 18
"""A part of one byte can become an object of a hundred; our own footers have some 400 parts."""

_BOOLEANS = {1: True, 2: False}
_BYTE, _DOUBLE, _BINARY, _MAP, _STRUCT = 3, 7, 8, 11, 12
_INTEGERS = (4, 5, 6)
_LISTS = (9, 10)

_UNCOMPRESSED = 0
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_PLAIN, _RLE_DICTIONARY = 0, 8

Kind = TypeVar("Kind", int, bytes, list[Any], dict[int, Any])


class _Thrift:
    """A reader at a place in bytes; raises ValueError at whatever does not fit in them."""

    def __init__(self, raw: bytes, at: int, end: int) -> None:
        self.raw = raw
        self.at = at
        self.end = end
        self.parts = 0

    def bytes(self, length: int) -> bytes:
        start, self.at = self.at, self.at + length
        if self.at > self.end:
            raise ValueError("it ends too soon")
        return self.raw[start : self.at]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.bytes(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise ValueError("a number in it is too long")

    def integer(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def struct(self, depth: int = 0) -> dict[int, Any]:
        if depth > MAX_DEPTH:
            raise ValueError("it is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while head := self.bytes(1)[0]:
            step, kind = head >> 4, head & 15
            number = number + step if step else self.integer()
            if kind in _BOOLEANS:  # a boolean of a struct has no byte of its own
                self.count()
                fields[number] = _BOOLEANS[kind]
            else:
                fields[number] = self.value(kind, depth + 1)
        return fields

    def count(self) -> None:
        self.parts += 1
        if self.parts > MAX_PARTS:
            raise ValueError("it has more parts than any table needs")

    def value(self, kind: int, depth: int) -> Any:
        self.count()
        if kind in _INTEGERS:
            return self.integer()
        if kind == _BINARY:
            return self.bytes(self.varint())
        if kind == _STRUCT:
            return self.struct(depth)
        if kind in _LISTS:
            return self.list(depth)
        if kind == _BYTE or kind in _BOOLEANS:  # a boolean in a list has a byte of its own
            return self.bytes(1)[0]
        if kind == _DOUBLE:
            return self.bytes(8)
        if kind == _MAP:
            raise ValueError("it holds a map, as no Parquet footer does")
        raise ValueError(f"it holds something of unknown kind {kind}")

    def list(self, depth: int) -> list[Any]:
        head = self.bytes(1)[0]
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self.varint()
        if size > self.end - self.at or depth > MAX_DEPTH:  # every item has a byte at least
            raise ValueError("a list in it is too long or too deep")
        return [self.value(kind, depth + 1) for _ in range(size)]


def read_footer(raw: bytes) -> dict[int, Any]:
    """Return the footer (FileMetaData) of a Parquet file; ValueError if it is none."""
    if len(raw) < 12 or raw[:4] != MAGIC or raw[-4:] != MAGIC:
        raise ValueError("it does not begin and end as Parquet does")
    end = len(raw) - 8
    length = int.from_bytes(raw[end : end + 4], "little")
    if length > end - 4:
        raise ValueError("its footer is longer than the file")
    footer = _Thrift(raw, end - length, end)
    fields = footer.struct()
    if footer.at != end:
        raise ValueError("its footer does not fill its place")
    return fields | {0: end - length}


def footer_notes(footer: dict[int, Any]) -> dict[bytes, bytes]:
    """Return the key-value metadata of a file."""
    notes = _get(footer, 5, list) if 5 in footer else []
    return {_get(note, 1, bytes): _get(note, 2, bytes) for note in notes}


def check_layout(raw: bytes, footer: dict[int, Any], rows: int, columns: int, coded: int) -> None:
    """Refuse (ValueError) a file that is not one group of `rows` rows in plain, uncompressed pages.

    Column number `coded` has a dictionary of two; no other has one.
    """
    groups = _get(footer, 4, list)
    if _get(footer, 3, int) != rows or len(groups) != 1:
        raise ValueError(f"it has {_get(footer, 3, int):,} rows, not {rows:,} in one group")
    chunks = _get(groups[0], 1, list)
    if len(chunks) != columns:
        raise ValueError(f"it has {len(chunks)} columns, not {columns}")
    for number, chunk in enumerate(chunks):
        column = _get(chunk, 3, dict)
        if set(chunk) - {2, 3} or _get(column, 4, int) != _UNCOMPRESSED:
            raise ValueError("a column is compressed, encrypted or elsewhere, as ours never are")
        if _get(column, 5, int) != rows:
            raise ValueError(f"a column has {_get(column, 5, int):,} values, not {rows:,}")
        start = _get(column, 9, int)
        if 11 in column:
            start = min(start, _get(column, 11, int))
        _walk_pages(raw, start, start + _get(column, 7, int), footer[0], rows, number == coded)


def _walk_pages(raw: bytes, start: int, end: int, limit: int, rows: int, coded: bool) -> None:
    """Check the headers of one column's pages, and that they fill its place with `rows` values."""
    if not len(MAGIC) <= start < end <= limit:
        raise ValueError("a column lies outside the file")
    pages = _Thrift(raw, start, end)
    values = dictionaries = 0
    while pages.at < end:
        header = pages.struct()
        kind, size = _get(header, 1, int), _get(header, 3, int)
        if _get(header, 2, int) != size or size < 0:
            raise ValueError("a page claims more than it holds")
        if kind == _DICTIONARY_PAGE and coded and not values:
            dictionaries += 1
            allowed = _get(_get(header, 7, dict), 1, int) == 2
        elif kind == _DATA_PAGE:
            page = _get(header, 5, dict)
            values += _get(page, 1, int)
            allowed = _get(page, 2, int) == (_RLE_DICTIONARY if coded else _PLAIN)
        else:
            allowed = False
        if not allowed:
            raise ValueError("a page is of a kind or encoding that ours never are")
        pages.bytes(size)
    if values != rows or dictionaries != coded:
        raise ValueError(f"a column's pages hold {values:,} values, not {rows:,}")


def _get(struct: object, number: int, kind: type[Kind]) -> Kind:
    """Return a field of a struct, which must be there and of that kind."""
    if isinstance(struct, dict):
        field = struct.get(number)
        if isinstance(field, kind) and not isinstance(field, bool):
            return field
    raise ValueError(f"a part of it lacks field {number}")
