"""The typed reader of records: what it takes, and the words in which it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.errors import DamagedRecord
from helio.store.records import (
    Count,
    Digest,
    Instant,
    WrongShape,
    convert,
    parse_record,
    read_json,
    read_record,
)


@dataclass(frozen=True)
class Inner:
    name: str
    size: Count = 0


@dataclass(frozen=True)
class Outer:
    kind: Literal["a", "b"]
    inner: tuple[Inner, ...] = ()
    span: tuple[Instant, Instant] | None = None
    facts: Mapping[str, int] = field(default_factory=dict)
    share: float = 0.0


class Bare(TypedDict):
    id: str | int


class Loose(Bare, total=False):
    digest: Digest


def test_a_record_becomes_an_object_with_its_defaults():
    content = b'{"kind": "a", "inner": [{"name": "x"}], "share": 1}'
    assert parse_record(content, Outer, "r.json") == Outer("a", (Inner("x"),), share=1.0)


def test_a_typed_dict_keeps_what_it_does_not_know():
    assert convert({"id": 1, "more": [1]}, Loose) == {"id": 1, "more": [1]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is empty"),
        (b"  \n", "it is empty"),
        (b'{"kind": "a"', "it is not JSON"),
        (b"\xff{}", "byte 0 is not UTF-8"),
        (b'{"kind": "a", "kind": "b"}', "the key 'kind' appears twice"),
        (b'{"kind": "a", "share": NaN}', "NaN is not valid JSON"),
        (b'{"kind": "a", "share": 1e999}', "the number 1e999 is too large"),
        (b'{"kind": "a", "share": 1' + b"0" * 400 + b"}", "not a number within the range of a 64-bit float"),
        (b'{"kind": "a", "share": 1' + b"0" * 5000 + b"}", "it is not JSON"),
        (b'{"kind": "\\ud83d"}', "unpaired surrogate"),
        (b"[" * 101 + b"]" * 101, "nested too deeply"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "it is [], not an object"),
        (b"{}", "it lacks 'kind'"),
        (b'{"kind": "c"}', "kind is \"c\", not one of 'a', 'b'"),
        (b'{"kind": "a", "inner": [{"name": 7}]}', "inner[0].name is 7, not a string"),
        (
            b'{"kind": "a", "inner": [{"name": "x", "size": true}]}',
            "inner[0].size is true, not a whole number",
        ),
        (
            b'{"kind": "a", "inner": [{"name": "x", "size": -1}]}',
            "inner[0].size is -1, not zero or a positive number",
        ),
        (
            b'{"kind": "a", "inner": [{"name": "x", "sise": 1}]}',
            "inner[0] has the unknown key 'sise'",
        ),
        (b'{"kind": "a", "span": ["2024-01-01"]}', 'span is ["2024-01-01"], not a list of 2'),
        (
            b'{"kind": "a", "span": ["2024-01-01", "99999-01-01"]}',
            'span[1] is "99999-01-01", not a time such as',
        ),
        (b'{"kind": "a", "facts": {"a b": "x"}}', "facts.'a b' is \"x\", not a whole number"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(content: bytes, words: str, tmp_path: Path):
    path = tmp_path / "r.json"
    path.write_bytes(content)
    with pytest.raises(DamagedRecord) as refused:
        read_record(path, Outer, advice="remove it")
    assert refused.value.message.startswith(f"{path} cannot be read: ")
    assert words in refused.value.message
    assert refused.value.advice == "remove it"


def test_one_of_several_types_is_named_with_all_of_them():
    with pytest.raises(WrongShape, match=r"id is 0\.5, not a string or a whole number"):
        convert({"id": 0.5}, Loose)


def test_true_is_no_number_and_1_is_not_true():
    for value, kind in ((True, int), (True, float), (1, bool), (1.0, int), (True, Literal[1])):
        with pytest.raises(WrongShape):
            convert(value, kind)


def test_a_record_has_a_largest_size(tmp_path: Path):
    path = tmp_path / "r.json"
    path.write_bytes(b'{"kind": "a"}' + b" " * 100)
    assert read_record(path, Outer, largest=113) == Outer("a")
    with pytest.raises(DamagedRecord, match="more than 112 bytes"):
        read_record(path, Outer, largest=112)


def test_a_file_that_is_not_there_is_no_damage(tmp_path: Path):
    for path in (tmp_path / "none", tmp_path / "none" / "r.json"):
        with pytest.raises(FileNotFoundError):
            read_record(path, Outer)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes):
    try:
        read_json(content)
    except WrongShape as error:
        assert str(error)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["kind", "inner", "name", "size", "span", "facts"]), inner)
        ),
    )
)
def test_any_value_is_converted_or_refused(value: Any):
    try:
        found = convert(value, Outer)
    except WrongShape as error:
        assert str(error)
    else:
        assert found.kind in ("a", "b")
