"""What a notebook shows: short texts, escaped HTML, plotly's document; and what it gets to work with."""

from __future__ import annotations

import base64
import json
import os
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio import api
from helio.errors import RunFailed
from helio.pipelines.runs.compare import Comparison, Difference, NotCompared
from helio.pipelines.runs.outcome import Run
from helio.pipelines.template.diagnostics import Diagnostic, Diagnostics
from helio.settings import read_settings
from helio.steps.describe import describe, preview
from helio.steps.render.figure import PLOTLY
from helio.steps.render.write_figure import find_browser
from helio.store.runs import Runs
from helio.store.table import Axis, Table

pytestmark = pytest.mark.usefixtures("warm_processes")

EVIL = "<script>alert('&')</script><img src=x onerror=alert(1)>"
FETCH: dict[str, Any] = {
    "step_id": "b",
    "tool_name": "fetch_data",
    "intent": EVIL,
    "tool_args": {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": "$TIME_RANGE"},
}
DRAW: dict[str, Any] = {
    "step_id": "figure",
    "tool_name": "render_spec",
    "tool_args": {"spec": {"labels": ["AC_K2_MFI.BGSEc"], "title": "A < B"}},
}
TEMPLATE = {
    "id": "short",
    "variables": {"$TIME_RANGE": {"type": "time_range", "default": "2022-01-01"}},
    "steps": [FETCH, DRAW],
}
EPOCH = np.datetime64("2024-05-10", "ns") + np.arange(4) * np.timedelta64(1, "m")


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HELIO_HOME", str(tmp_path_factory.mktemp("home")))
        patch.delenv("HELIO_ARCHIVE", raising=False)
        yield


@pytest.fixture(scope="module")
def run(home: None) -> Run:
    return api.run(TEMPLATE, archive="sample")


class Shown(HTMLParser):
    """The tags and the visible text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(value: Any) -> Shown:
    """The HTML of a value; it has only harmless tags and attributes."""
    page = Shown(value._repr_html_())
    assert page.tags <= {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "pre"}
    assert page.attributes <= {"class", "style", "border", "colspan"}
    return page


def evil_table() -> Table:
    return Table(EPOCH, np.ones((4, 2)), EVIL, EVIL, EVIL, (f"x {EVIL}", f"y {EVIL}"), description=EVIL)


def test_a_run_shows_its_steps_with_what_they_made(run: Run) -> None:
    page = shown(run)
    for text in (run.id, "success", "fetch_data", "AC_K2_MFI.BGSEc: 24 records, nT, GSE", "render_spec"):
        assert text in page.text


def test_a_failed_run_shows_the_reason_and_the_remedy() -> None:
    failed = api.run({**TEMPLATE, "steps": [FETCH]}, time_range="2035-01-01", archive="sample", check=False)
    step = failed.result.steps[0]
    assert step.error is not None
    page = shown(failed)
    assert step.error.message in page.text
    assert step.error.advice in page.text


def test_tables_and_figures_show_what_they_are(run: Run) -> None:
    assert "24 x 3, nT, GSE" in shown(run.tables).text
    assert "1 figure" in shown(run.figures).text


def test_descriptions_and_citations_show_each_item(run: Run) -> None:
    described = shown(api.describe(run.id))
    assert "AC_K2_MFI.BGSEc" in described.text
    assert "24, 2022-01-01" in described.text
    cited = shown(api.cite(run.id))
    assert "AC_K2_MFI" in cited.text
    assert "N. Ness (Bartol Research Institute)" in cited.text


def test_a_description_of_any_text_is_harmless() -> None:
    assert EVIL in shown(describe(evil_table(), EVIL)).text


def test_labels_are_completed(run: Run) -> None:
    assert run.tables._ipython_key_completions_() == ["AC_K2_MFI.BGSEc"]  # type: ignore[attr-defined]
    assert run.figures._ipython_key_completions_() == ["figure"]  # type: ignore[attr-defined]


def test_a_table_shows_first_and_last_records_and_escapes_its_texts(run: Run) -> None:
    table = run.tables["AC_K2_MFI.BGSEc"]
    page = shown(table)
    for text in ("nT", "GSE", *table.components, "2022-01-01 00:00", "24 rows × 3 columns"):
        assert text in page.text
    assert EVIL in shown(evil_table()).text
    wide = Table(EPOCH, np.ones((4, 300)), axes=(Axis(EVIL, EVIL, np.arange(300.0)),))
    assert len(wide._repr_html_()) < 20_000
    shown(wide)
    shown(Table(EPOCH[:0], np.ones(0)))


def test_a_plan_shows_its_values_and_steps_and_escapes_them() -> None:
    page = shown(api.plan(TEMPLATE, archive="sample"))
    for text in ("$TIME_RANGE = 2022-01-01", "render_spec", EVIL):
        assert text in page.text


def test_a_check_shows_every_diagnostic_with_its_advice() -> None:
    wrong = api.check({**TEMPLATE, "steps": [{**FETCH, "tool_name": f"fetch_dat{EVIL}"}, DRAW]})
    assert wrong
    page = shown(wrong)
    for diagnostic in wrong:
        assert diagnostic.code in page.text
        assert diagnostic.message in page.text
        assert all(advice in page.text for advice in diagnostic.advice)
    assert "error" in repr(wrong)
    right = api.check(TEMPLATE)
    assert right == ()
    assert "no diagnostics" in shown(right).text
    assert (
        "no diagnostics" in shown(api.check_template(TEMPLATE)).text
        or api.check_template(TEMPLATE).diagnostics
    )


def test_many_diagnostics_are_counted_and_cut() -> None:
    many = Diagnostics([Diagnostic("HR203", EVIL * 50, step_id=number) for number in range(500)])
    assert "500 errors" in repr(many)
    assert len(repr(many)) <= 500
    page = shown(many)
    assert "… 440 more rows" in page.text
    assert len(many._repr_html_()) < 300_000


def test_a_comparison_shows_its_verdict_and_differences(run: Run) -> None:
    assert "same" in shown(api.diff(run.id, run.id)).text
    made = Comparison(
        "old",
        EVIL,
        plan=(EVIL,),
        numbers=(Difference("b", "B", f"1 value {EVIL}", (f"because {EVIL}",)),),
        not_compared=(NotCompared("c", EVIL, EVIL),),
        tables=1,
    )
    page = shown(made)
    for text in ("different", f"1 value {EVIL}", f"because {EVIL}", "1 table"):
        assert text in page.text


def test_records_of_a_preview_are_a_table(run: Run) -> None:
    assert "2022-01-01T00:" in shown(api.preview(run.id, "AC_K2_MFI.BGSEc")).text
    assert f"x {EVIL}" in shown(preview(evil_table(), EVIL)).text


def test_what_is_printed_is_short(run: Run) -> None:
    values = {
        "step": run.plan.steps[0],
        "comparison": api.diff(run.id, run.id),
        "preview": api.preview(run.id, "AC_K2_MFI.BGSEc"),
        "archive": api.list_archive("sample"),
        "check": api.check({**TEMPLATE, "steps": [{**FETCH, "tool_name": "x" * 5000}]}),
        "diagnostic": Diagnostic("HR203", "x" * 5000),
    }
    for name, value in values.items():
        assert len(repr(value)) <= 500, name
        assert "\n" not in repr(value), name


def test_a_figure_without_a_browser_is_plotlys_document_and_a_page(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    bundle = run.figure._repr_mimebundle_()
    assert bundle[PLOTLY] == run.figure.document
    assert json.loads(json.dumps(bundle)) == bundle
    page = Shown(bundle["text/html"])
    assert page.tags == {"iframe", "p"}
    assert "no Chromium was found" in page.text
    assert set(bundle) == {PLOTLY, "text/plain", "text/html"}


def test_a_wrong_browser_is_named_below_the_figure(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/no/such/<b>browser")
    page = Shown(run.figure._repr_mimebundle_()["text/html"])
    assert "there is no browser at /no/such/<b>browser" in page.text
    assert page.tags == {"iframe", "p"}


@pytest.mark.browser
@pytest.mark.skipif(find_browser(os.environ) is None, reason="no Chromium: BROWSER_PATH unset, none on PATH")
def test_a_figure_is_plotlys_document_and_a_png(run: Run) -> None:
    bundle = run.figure._repr_mimebundle_()
    assert bundle[PLOTLY] == run.figure.document
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert set(bundle) == {PLOTLY, "text/plain", "image/png"}


# A failed run ------------------------------------------------------------------------------------------------


def test_a_failed_run_is_an_error_that_names_step_reason_and_remedy() -> None:
    with pytest.raises(RunFailed) as raised:
        api.run(TEMPLATE, time_range="2035-01-01", archive="sample")
    failure = raised.value
    looked_at = api.run(TEMPLATE, time_range="2035-01-01", archive="sample", check=False)
    reason = looked_at.result.steps[0].error
    assert reason is not None
    assert failure.message == f"run {failure.run.id}: step 'b' (fetch_data) failed: {reason.message}"
    assert failure.advice == reason.advice
    assert failure.advice
    assert type(failure.error) is type(reason)
    assert failure.run.status == looked_at.status == "failed"
    assert Runs(read_settings().runs).load(failure.run.id).status == "failed"


def test_a_failed_run_names_the_critical_step_and_counts_the_others() -> None:
    early = {**FETCH, "step_id": "early", "critical": False, "tool_args": {**FETCH["tool_args"]}}
    early["tool_args"] |= {"time_range": "2036-01-01", "output_label": "early"}
    with pytest.raises(RunFailed, match=r"step 'b' .*; 1 other step failed too"):
        api.run({**TEMPLATE, "steps": [early, FETCH]}, time_range="2035-01-01", archive="sample")


def test_a_partial_run_is_no_error() -> None:
    late = {**FETCH, "step_id": "late", "critical": False}
    late["tool_args"] = FETCH["tool_args"] | {"time_range": "2035-01-01", "output_label": "late"}
    made = api.run({**TEMPLATE, "steps": [FETCH, late]}, archive="sample")
    assert made.status == "partial"
    assert "step 'late' failed" in repr(made)


def test_a_run_without_its_critical_file_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/no/such/browser")
    draw = {**DRAW, "tool_args": {"spec": {**DRAW["tool_args"]["spec"], "formats": ["png"]}}}
    with pytest.raises(RunFailed, match="a file could not be written: there is no browser") as raised:
        api.run({**TEMPLATE, "steps": [FETCH, draw]}, archive="sample", output=tmp_path / "out")
    assert "BROWSER_PATH" in raised.value.advice
    assert list(raised.value.run.figures) == ["figure"]
