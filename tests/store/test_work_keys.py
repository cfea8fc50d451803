"""Keys are equal when the work is, and differences are told in words."""

from collections import OrderedDict
from datetime import datetime
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.store.work_keys import difference, key_of
from tests.rows import in_one_test

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
RECIPES = st.dictionaries(st.text(max_size=5), JSON, max_size=4)


@given(RECIPES, st.randoms())
def test_the_order_of_names_does_not_change_a_key(recipe, random):
    names = list(recipe)
    random.shuffle(names)
    assert key_of({name: recipe[name] for name in names}) == key_of(recipe)


@given(RECIPES, RECIPES)
def test_keys_are_equal_where_nothing_differs_and_only_there(one, other):
    assert (key_of(one) == key_of(other)) == (difference(one, other) == [])


@given(RECIPES)
def test_nothing_differs_from_itself(recipe):
    assert difference(recipe, MappingProxyType(OrderedDict(recipe))) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (0, -0.0), (10**22, 1e22), ((1, 2), [1, 2]), ({"a": 1}, MappingProxyType({"a": 1}))],
)
def test_equal_values_have_equal_keys(one, other):
    assert key_of({"x": one}) == key_of({"x": other})


@in_one_test(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (1, "1"),
        (None, ""),
        ([], {}),
        (2**53, 2**53 + 1),
        (0.1, 0.1 + 1e-17 + 2e-17),
        ("a", "a "),
    ],
)
def test_other_values_have_other_keys(one, other):
    assert key_of({"x": one}) != key_of({"x": other})
    assert len(difference({"x": one}, {"x": other})) == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_has_no_key(value):
    with pytest.raises(ValueError, match="cannot be used"):
        key_of({"x": [value]})


@pytest.mark.parametrize("value", [datetime(2024, 5, 10), {1: 2}, {"a"}, b"a"])
def test_what_is_not_json_has_no_key(value):
    with pytest.raises(TypeError):
        key_of({"x": value})


def test_a_key_stays_as_it_is():
    recipe = {
        "tool": "running_average",
        "version": 1,
        "args": {"window": "10min", "minimum": 0.1},
        "x": ["Bé", None],
    }
    # A change of this text makes every stored result be computed again.
    assert key_of(recipe) == "key:b4c5d827407fe2f94ff87159a20406adba4cb1866bc49b578fb249650ade8bc9"


A, B = "sha256:" + "a" * 64, "sha256:" + "b" * 64


@in_one_test(
    ("old", "new", "words"),
    [
        ({"args": {"window": "10min"}}, {"args": {"window": "30min"}}, ["args.window: 10min → 30min"]),
        ({"inputs": {"B": A}}, {"inputs": {"B": B}}, ["inputs.B digest changed"]),
        ({"B": {"digest": A}}, {"B": {"digest": B}}, ["B.digest changed"]),
        (
            {"inputs": {"B": A}},
            {"inputs": {"B": "key:" + "a" * 64}},
            ["inputs.B is now identified by its key, earlier by its digest"],
        ),
        ({"version": 1}, {"version": 2}, ["version: 1 → 2"]),
        ({"a": True}, {"a": 1}, ["a: true → 1"]),
        ({"a": ""}, {"a": None}, ['a: "" → null']),
        ({"a": {}}, {}, ["a: {} is gone"]),
        ({}, {"a": [1]}, ["a: [1] is new"]),
        ({"p": [{"l": ["x", "y"]}]}, {"p": [{"l": ["x"]}]}, ["p[0].l[1]: y is gone"]),
        ({"code": "a\nb"}, {"code": "a\nc"}, ["code changed"]),
        ({"files": []}, {"files": [A]}, ["files[0]: a digest is new"]),
        ({"z": 1, "a": 1}, {"z": 2, "a": 2}, ["a: 1 → 2", "z: 1 → 2"]),
        ({"t": "x" * 100}, {"t": "y"}, [f"t: {'x' * 59}… → y"]),
    ],
)
def test_a_difference_is_said_in_words(old, new, words):
    assert difference(old, new) == words


FILES = [[f"ac_{day}_v07.cdf", str(day) * 12] for day in range(1, 5)]


@in_one_test(
    ("old", "new", "words"),
    [
        (
            FILES[:1] + FILES[2:],
            FILES,
            ['f[1]: ["ac_2_v07.cdf", "222222222222"] is new'],
        ),
        (FILES, FILES[1:], ['f[0]: ["ac_1_v07.cdf", "111111111111"] is gone']),
        (
            FILES[1:],
            [FILES[0], FILES[1], [FILES[2][0], "x"], FILES[3]],
            [
                'f[0]: ["ac_1_v07.cdf", "111111111111"] is new',
                "f[ac_3_v07.cdf]: 333333333333 → x",
            ],
        ),
        (["a", "b", "c"], ["a", "x", "c"], ["f[1]: b → x"]),
        (["a", "b"], ["b", "a"], ["f[0]: b was at f[1]"]),
        (["a", "b"], ["a", "b", "a"], ["f[2]: a is new"]),
        ([1, True], [True, 1], ["f[0]: true was at f[1]"]),
        (
            [{"label": "B", "color": "red"}, {"label": "V", "color": "blue"}],
            [
                {"label": "N", "color": "green"},
                {"label": "B", "color": "red"},
                {"label": "V", "color": "black"},
            ],
            ['f[0]: {"color": "green", "label": "N"} is new', "f[2].color: blue → black"],
        ),
        ([[1, 2], [3]], [[1, 2], [3, 4], [5]], ["f[1][1]: 4 is new", "f[2]: [5] is new"]),
    ],
)
def test_lists_are_compared_by_their_items(old, new, words):
    assert sorted(difference({"f": old}, {"f": new})) == sorted(words)


@given(st.lists(JSON, max_size=5), st.lists(JSON, max_size=5))
def test_lists_that_differ_have_a_difference(one, other):
    assert bool(difference({"x": one}, {"x": other})) == (key_of({"x": one}) != key_of({"x": other}))
