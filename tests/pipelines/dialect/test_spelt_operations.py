"""Named operations under the words that people and models have for them."""

import pytest

from helio.pipelines.dialect.synonyms import tool_spellings
from helio.pipelines.plan import spelled
from helio.steps.signature import signatures
from tests.rows import in_one_test


def step(tool, **args):
    document = {"id": "p", "name": "p", "steps": [{"step_id": "s", "tool_name": tool, "tool_args": args}]}
    found = spelled(document)
    assert not found.errors
    [one] = found.plan["steps"]
    return one["tool_name"], one["tool_args"]


@in_one_test(
    ("written", "meant"),
    [
        (
            ("hampel_filter", {"source": "B", "window_size": "1min", "nsigma": 4, "output": "C"}),
            ("despike", {"source_label": "B", "window": "1min", "threshold": 4, "output_label": "C"}),
        ),
        (
            ("Butterworth", {"input_label": "B", "lowcut": 0.01, "highcut": "0.1", "output_label": "C"}),
            ("band_pass", {"source_label": "B", "low": 0.01, "high": 0.1, "output_label": "C"}),
        ),
        (
            ("align_to", {"series": "B", "target": "V", "max_gap": "2min", "output_label": "C"}),
            ("align", {"series_label": "B", "onto_label": "V", "limit": "2min", "output_label": "C"}),
        ),
        (
            ("arithmetic", {"left": "B", "right": "V", "op": "minus", "output_label": "C"}),
            (
                "arithmetic",
                {"left_label": "B", "right_label": "V", "operation": "subtract", "output_label": "C"},
            ),
        ),
        (
            (
                "mask_values",
                {"source_label": "B", "condition": "greater_than", "value": 50, "output_label": "C"},
            ),
            ("mask", {"source_label": "B", "where": ">", "value": 50, "output_label": "C"}),
        ),
        (
            ("mask", {"source_label": "B", "where": ">=", "value": [50], "output_label": "C"}),
            ("mask", {"source_label": "B", "where": ">=", "value": [50], "output_label": "C"}),
        ),
        (
            ("psd", {"source_label": "B", "window_length": "10min", "output_label": "C"}),
            ("power_spectrum", {"source_label": "B", "window": "10min", "output_label": "C"}),
        ),
        (
            ("band_power", {"source_label": "P", "frequency_bands": "[[0.01, 0.1]]", "output_label": "C"}),
            ("band_integral", {"source_label": "P", "bands": [[0.01, 0.1]], "output_label": "C"}),
        ),
    ],
)
def test_an_operation_under_other_words_is_the_operation(written, meant):
    assert step(written[0], **written[1]) == meant


def test_a_spectrogram_by_that_name_is_the_one_with_code():
    assert step("spectrogram", source_label="B", code="result = df", output="S")[0] == "compute_spectrogram"


@pytest.mark.parametrize("tool", ["describe_data", "Preview-Data"])
def test_a_step_that_only_looks_at_data_is_refused_with_the_command_that_does(tool):
    found = spelled({"id": "p", "name": "p", "steps": [{"step_id": "s", "tool_name": tool, "tool_args": {}}]})
    [error] = [one for one in found.diagnostics if one.code == "HN402"]
    assert "only shows data" in error.message
    assert "helio describe" in error.advice[0]
    assert not error.candidates


def test_no_word_stands_for_two_tools():
    known = set(signatures())
    spellings = tool_spellings(known)
    for name, tool in signatures().items():
        for word in tool.synonyms:
            meant = spellings["".join(letter for letter in word.casefold() if letter.isalnum())]
            assert meant == name or word == "spectrogram", word
