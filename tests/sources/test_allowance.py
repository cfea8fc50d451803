"""What a run may download, shared by its fetches."""

import pytest

from helio.errors import TooLarge
from helio.sources.allowance import Allowance, allowance_of


def test_fetches_share_it_and_what_would_do_is_said():
    allowance = Allowance(600_000)
    first = allowance.plan(260_000, "1 file of 260 kB")
    first.add(260_000)
    first.close()
    allowance.plan(260_000, "1 file of 260 kB")
    with pytest.raises(TooLarge) as caught:
        allowance.plan(260_000, "1 file of 260 kB")
    assert caught.value.message == (
        "the download of 1 file of 260 kB, together with 520 kB that this run has already requested, "
        "exceeds the limit of 600 kB"
    )
    assert "--max-download 780kB or more (`helio plan` shows" in caught.value.advice


def test_what_was_set_aside_and_did_not_come_is_free_for_others():
    allowance = Allowance(100)
    first = allowance.plan(80, "a file")
    first.add(30)
    first.close()
    with pytest.raises(TooLarge):
        allowance.plan(71, "a file")
    allowance.plan(70, "a file")


def test_what_came_in_vain_does_not_count():
    share = Allowance(100).plan(80, "a file")
    for _ in range(3):
        share.add(79)
        share.add(-79)
    share.add(80)
    with pytest.raises(TooLarge, match="the downloads of this run exceed its limit of 100 B"):
        share.add(21)


def test_without_a_limit_nothing_is_too_large():
    allowance_of(None).plan(10**15, "everything").add(10**15)


def test_one_that_is_shared_is_taken_as_it_is():
    one = Allowance(5)
    assert allowance_of(one) is one
