"""Parquet footers made to hurt: each is refused, with little memory and no other parser's help."""

import io
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cribodds.tables.footer import check_layout, footer_notes, read_footer
from cribodds.tables.store import _encode
from tables_for_tests import toy_table


def file_of(footer: bytes) -> bytes:
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


HOSTILE = {
    "empty": b"",
    "cut in a struct": b"\x15\x02",
    "structs without end": b"\x1c" * 5000,
    "lists without end": b"\x19" + b"\x19" * 5000,
    "a list of two billion": b"\x19\xfc" + varint(2**31 - 1),
    "text of two billion bytes": b"\x18" + varint(2**31 - 1) + b"x",
    "a number without end": b"\x15" + b"\xff" * 5000,
    "a map": b"\x1b\x01\x88\x01a\x01b\x00",
    "an unknown kind": b"\x1f\x00\x00",
    "bytes left over": b"\x15\x02\x00\x00",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_footer_is_refused_in_little_memory(name: str) -> None:
    raw = file_of(HOSTILE[name])
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"^(it|its|a number|a list) "):
        read_footer(raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_booleans_of_a_struct_are_counted_though_they_have_no_byte_of_their_own() -> None:
    raw = file_of(b"\x1c" + b"\x11" * 2_000_000)
    tracemalloc.start()
    with pytest.raises(ValueError, match="more parts than any table needs"):
        read_footer(raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40_000_000  # an eighth of what all of them would take


@pytest.mark.parametrize("footer", [b"\x00", b"\x15\x02\x00", b"\x36\x02\x19\x1c\x00\x00"])
def test_a_layout_that_is_not_told_is_refused(footer: bytes) -> None:
    raw = file_of(footer)
    with pytest.raises(ValueError, match="lacks field"):
        check_layout(raw, read_footer(raw), 1, 1, 0)


@pytest.mark.parametrize("footer", [b"\x58\x01a\x00", b"\x59\x18\x01a\x00", b"\x59\x1c\x00\x00"])
def test_notes_that_are_none_are_refused(footer: bytes) -> None:
    fields = read_footer(file_of(footer))
    with pytest.raises(ValueError, match="lacks field"):
        footer_notes(fields)


def test_the_footer_of_any_parquet_file_is_understood() -> None:
    table = pa.table({"a": np.arange(5000), "b": [None, "x"] * 2500, "c": [[1.5]] * 5000})
    sink = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"k": "v" * 300}), sink, row_group_size=700)
    raw = sink.getvalue()
    footer = read_footer(raw)
    expected = pq.read_metadata(io.BytesIO(raw))
    assert footer[3] == expected.num_rows
    assert len(footer[4]) == expected.num_row_groups
    assert footer_notes(footer) == expected.metadata
    assert [chunk[3][5] for chunk in footer[4][0][1]] == [700, 700, 700]


ROWS = 2 * 31 * 31
COLUMNS = 12


def patched(good: bytes, at: int, old: bytes, new: bytes) -> bytes:
    """Return `good` with `old`, the first after `at`, replaced by bytes of the same length."""
    place = good.index(old, at)
    assert len(old) == len(new)
    assert place - at < 64
    return good[:place] + new + good[place + len(old) :]


def test_a_page_that_lies_about_itself_is_refused() -> None:
    good = _encode(toy_table())
    footer = read_footer(good)
    check_layout(good, footer, ROWS, COLUMNS, 2)
    dealer, win = (footer[4][0][1][number][3] for number in (2, 3))
    size = varint(2 * 8 * ROWS)  # zigzag of the bytes of one column of doubles
    lies = [
        # a dictionary of 63 values for one of 2: field 1 of the header's field 7
        patched(good, dealer[11], b"\x3c\x15\x04\x15", b"\x3c\x15\x7e\x15"),
        # a page that would unpack into a megabyte
        patched(good, win[9], size, varint(2 * 1_000_000)),
        # a dictionary page (kind 2) where values should be
        patched(good, win[9], b"\x15\x00\x15", b"\x15\x04\x15"),
    ]
    for raw in lies:
        with pytest.raises(ValueError, match=r"a page (claims more|is of a kind)"):
            check_layout(raw, read_footer(raw), ROWS, COLUMNS, 2)


@pytest.mark.parametrize("codec", ["SNAPPY", "ZSTD", "GZIP"])
def test_a_compressed_column_is_refused(codec: str) -> None:
    sink = io.BytesIO()
    table = pq.read_table(pa.BufferReader(_encode(toy_table())))
    pq.write_table(table, sink, compression={"win_se": codec}, use_dictionary=["dealer"])
    raw = sink.getvalue()
    with pytest.raises(ValueError, match="compressed, encrypted or elsewhere"):
        check_layout(raw, read_footer(raw), ROWS, COLUMNS, 2)
