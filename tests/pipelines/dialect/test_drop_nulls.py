"""A word that stands for nothing elsewhere may be a choice of a tool's own."""

from datetime import datetime

from helio.pipelines.dialect.drop_nulls import drop_nulls
from helio.pipelines.template.context import Context
from helio.steps.signature import signatures


def dropped(tool, **args):
    plan = {"steps": [{"step_id": 1, "tool_name": tool, "tool_args": args}]}
    return list(drop_nulls(plan, Context(signatures(), datetime(2024, 1, 1), {})))


def test_none_is_kept_where_it_is_one_of_the_choices():
    """A spectrum without a taper was computed with one."""
    assert not dropped("power_spectrogram", source_label="B", window="1h", taper="none")
    assert not dropped("declare_quantity", source_label="B", representation="none")


def test_none_is_nothing_elsewhere():
    assert dropped("power_spectrogram", source_label="B", window="1h", overlap="none")
    assert dropped("power_spectrogram", source_label="B", window="1h", taper=None)
