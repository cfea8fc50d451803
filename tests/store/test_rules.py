"""The numbers of rules, and their changes in words."""

from __future__ import annotations

import pytest

from helio.store.rules import RULES, Rule, changed_rules, rule_numbers
from helio.store.table import DIGEST_FORM

MADE = {
    "reading": Rule("", ("since 0.2 checksums are compared", "since 0.3 they must be there")),
    "epochs": Rule(""),
}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ({}, {}, ()),
        ({}, {"reading": 1, "epochs": 1}, ()),
        ({}, {"reading": 2}, ("reading: since 0.2 checksums are compared",)),
        ({"reading": 2}, {"reading": 3}, ("reading: since 0.3 they must be there",)),
        ({"reading": 3}, {"reading": 2}, ("reading: since 0.3 they must be there",)),
        (
            {},
            {"reading": 3},
            ("reading: since 0.2 checksums are compared", "reading: since 0.3 they must be there"),
        ),
    ],
)
def test_changes_between_two_records_are_named_oldest_first(old, new, words):
    assert changed_rules(old, new, MADE) == words


def test_a_rule_of_a_newer_helio_is_named_although_its_words_are_not_known():
    found = changed_rules({"reading": 4}, {"reading": 3}, MADE)
    assert found == ("reading: changed by a newer version of helio (rule 4)",)
    [other] = changed_rules({"colours": 2}, {}, MADE)
    assert other.startswith("colours: ")


def test_each_change_is_a_sentence_that_names_its_version():
    for rule in RULES.values():
        assert rule.about
        for change in rule.changes:
            assert change.startswith("since ")
            assert not change.endswith(".")


def test_another_form_of_the_digest_is_a_change_of_table_facts():
    assert int(DIGEST_FORM.rpartition("/")[2]) <= rule_numbers()["table facts"], (
        "DIGEST_FORM was raised: say so in RULES"
    )
