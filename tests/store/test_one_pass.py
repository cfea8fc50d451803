"""Questions that are answered part by part have the answers of the whole array."""

import numpy as np
import pytest

from helio.store import one_pass
from helio.store.one_pass import add_to_increasing, extremes, increases


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_pass, "_PART", 3)


@pytest.mark.parametrize("size", range(1, 11))
def test_the_extremes_are_found_at_every_place(size):
    for index in range(size):
        array = np.zeros(size)
        array[index] = -1.0
        array[(index + 1) % size] = 2.0 if size > 1 else -1.0
        assert extremes(array) == (array.min(), array.max())
        array[(index + 2) % size] = np.nan
        if size > 2:
            assert extremes(array) == (-1.0, 2.0)


def test_the_extremes_of_missing_values_are_missing():
    assert np.isnan(extremes(np.full((4, 2), np.nan, "f4"))).all()


def test_extremes_keep_large_integers_exact():
    assert extremes(np.array([2**63 - 1, 5, -(2**63)])) == (-(2**63), 2**63 - 1)


@pytest.mark.parametrize("size", range(11))
def test_one_repeated_or_smaller_element_is_seen_at_every_place(size):
    assert increases(np.arange(size))
    for index in range(1, size):
        for step in (0, -5):
            array = np.arange(size)
            array[index] = array[index - 1] + step
            assert not increases(array)


@pytest.mark.parametrize("size", range(11))
def test_a_number_is_added_only_to_increasing_elements(size):
    array = np.arange(size) * 2
    assert add_to_increasing(array, 5)
    assert array.tolist() == (np.arange(size) * 2 + 5).tolist()
    for index in range(1, size):
        for step in (0, -5):
            array = np.arange(size) * 2
            array[index] = array[index - 1] + step
            before = array.copy()
            assert not add_to_increasing(array, 5)
            assert array.tolist() == before.tolist()


def test_a_sum_beyond_the_last_integer_is_taken_back():
    array = np.array([0, 1, 2**63 - 2, 2**63 - 1, 5])
    before = array.copy()
    assert not add_to_increasing(array, 10)
    assert array.tolist() == before.tolist()
