"""Tables that a model takes from documents: steps whose cells name page and quote, which helio looks up."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio import api
from helio.authoring.desk import Desk
from helio.authoring.documents import source_files as documents
from helio.authoring.documents.source_files import SourceFile
from helio.authoring.documents.tables import MOST_TABLES, table_steps
from helio.authoring.models.exchange import RejectedAnswer
from helio.authoring.outcome import NotProved
from helio.authoring.proposals.review import proposal_lines
from helio.authoring.proposals.store import Proposal
from helio.pipelines.plan import check
from helio.pipelines.template.from_document import (
    Cell,
    FromDocument,
    code_of,
    code_of_events,
    from_document,
    is_changed,
)
from helio.pipelines.template.plain_text import plain
from helio.settings import Settings
from helio.store.runs import Runs
from tests.authoring.answers import LOOK, SEEN, edit, fetch, figure, plan, put, step
from tests.authoring.pdfs import pdf, png
from tests.authoring.standin_gemini import KEY, GeminiStandIn
from tests.authoring.test_injections import SENTENCES

pytestmark = pytest.mark.process

NOW = datetime(2024, 1, 20, 12)
PAGES = (
    "Table 1. Two magnetic clouds of 1 January 2022.\nThe figure shows the field of ACE.",
    "Cloud 1 began at 03 UT on 1 January 2022\nand lasted until 06 UT on the same day.\n"
    "Cloud 2 began at 12:00 UT and ended at 15:30 UT. Its Dst was −50 nT, the other's\n−1,230 nT.",
)
PAPER = pdf(*(page.replace("−", "-") for page in PAGES))
DIGEST = hashlib.sha256(PAPER).hexdigest()
SOURCE = SourceFile("paper.pdf", DIGEST, "", "application/pdf", PAPER, len(PAPER), PAGES)
TEXT = SourceFile("notes.txt", "0" * 64, "The shock arrived at 03 UT.")
PICTURE = SourceFile("figure.png", "1" * 64, "", "image/png", png(), 9)

OTHER = "the quote has ANOTHER VALUE"


def cell(row: int, column: str, value: str, quote: str, page: int = 2) -> dict[str, Any]:
    return {"row": row, "column": column, "value": value, "page": page, "quote": quote}


CLOUDS = [
    cell(1, "start", "2022-01-01T03:00", "began at 03 UT on 1 January 2022"),
    cell(1, "stop", "2022-01-01T06:00", "lasted until 06 UT on the same day"),
    cell(2, "start", "2022-01-01T12:00", "Cloud 2 began at 12:00 UT"),
    cell(2, "stop", "2022-01-01T15:30", "ended at 15:30 UT"),
]
TIMES = [cell(1, "time", "2022-01-01T03:00", "at 03 UT"), cell(2, "time", "2022-01-01T12:00", "at 12:00 UT")]


def table(
    cells: list[dict[str, Any]], label: str = "CLOUDS", document: int = 1, **more: Any
) -> dict[str, Any]:
    return {"label": label, "document": document, "cells": cells, **more}


def answer(*tables: dict[str, Any]) -> dict[str, Any]:
    return {"tables": list(tables)}


# ---- from an answer to a step


def test_a_table_of_events_becomes_the_step_that_the_rules_make_of_a_list() -> None:
    [made], doubts = table_steps(answer(table(list(reversed(CLOUDS)))), [SOURCE])
    assert doubts == []
    assert (made["step_id"], made["tool_name"], made["tool_args"]["output_label"]) == (
        "CLOUDS",
        "store_dataframe",
        "CLOUDS",
    )
    assert made["tool_args"]["pandas_code"] == code_of_events(
        [("2022-01-01T03:00:00", "2022-01-01T06:00:00"), ("2022-01-01T12:00:00", "2022-01-01T15:30:00")]
    )
    assert made["tool_args"]["units"] == "s"
    assert made["tool_args"]["description"] == f"from paper.pdf p. 2, sha256 {DIGEST}"
    document = from_document(made)
    assert document is not None
    assert (document.name, document.sha256, document.pages) == ("paper.pdf", DIGEST, [2])
    assert document.cells[0] == Cell(
        1, "start", "2022-01-01T03:00:00", 2, "began at 03 UT on 1 January 2022", on_page=True
    )
    assert document.to_json() == made["annotations"]["document"]
    assert not is_changed(made)


def test_a_table_of_numbers_has_its_unit_and_its_columns() -> None:
    cells = [
        cell(1, "time", "2022-01-01T03:00", "at 03 UT"),
        cell(1, "Dst", "−50", "Its Dst was -50 nT"),
        cell(2, "time", "2022-01-01T12:00", "at 12:00 UT"),
        cell(2, "Dst", "-1230", "the other's -1,230 nT"),
    ]
    [made], doubts = table_steps(answer(table(cells, unit="nT")), [SOURCE])
    assert made["tool_args"]["units"] == "nT"
    assert '("2022-01-01T12:00:00", -1230.0),' in made["tool_args"]["pandas_code"]
    assert 'columns=["Dst"]' in made["tool_args"]["pandas_code"]
    assert doubts == []


def test_a_number_that_the_document_lacks_is_missing_in_the_table() -> None:
    cells = [
        cell(1, "time", "2022-01-01T03:00", "at 03 UT"),
        cell(1, "Dst", "-50", "Its Dst was -50 nT"),
        cell(2, "time", "2022-01-01T12:00", "at 12:00 UT"),
        cell(2, "Sym-H", "-1230", "the other's -1,230 nT"),
    ]
    [made], doubts = table_steps(answer(table(cells, unit="nT")), [SOURCE])
    assert doubts == []
    made_by_code: dict[str, Any] = {"pd": pd}
    exec(made["tool_args"]["pandas_code"], made_by_code)
    assert made_by_code["result"].to_dict("list") == {"Dst": [-50, pytest.approx(np.nan, nan_ok=True)],
                                                      "Sym-H": [pytest.approx(np.nan, nan_ok=True), -1230]}  # fmt: skip
    assert list(made_by_code["result"].dtypes) == [np.float64, np.float64]
    with pytest.raises(RejectedAnswer, match="lacks a value in row 2"):
        table_steps(answer(table(cells[:3], unit="nT")), [SOURCE])


@pytest.mark.parametrize(
    ("quote", "page", "on_page"),
    [
        ("LASTED  until 06 UT", 2, True),
        ("on 1 January 2022 and lasted", 2, True),
        ("at 06 UT", 2, False),
        ("began at 03 UT", 1, False),
    ],
)
def test_helio_looks_for_each_quote_on_its_page(quote: str, page: int, on_page: bool) -> None:
    cells = [cell(1, "time", "2022-01-01T06:00", quote, page)]
    [made], doubts = table_steps(answer(table(cells)), [SOURCE])
    document = from_document(made)
    assert document is not None
    assert document.cells[0].on_page is on_page
    assert [doubt.message for doubt in doubts] == (
        [] if on_page else [f"row 1, time: the quote '{quote}' is not on page {page} of paper.pdf"]
    )
    assert all(
        (doubt.code, doubt.severity, doubt.step_id) == ("HE408", "warning", "CLOUDS") for doubt in doubts
    )


def test_a_value_that_its_quote_does_not_contain_is_said_above_and_in_its_cell() -> None:
    cells = [cell(1, "time", "2022-01-01T04:00", "at 03 UT"), cell(1, "Dst", "50", "Its Dst was -50 nT")]
    [made], doubts = table_steps(answer(table(cells, unit="nT")), [SOURCE])
    assert [doubt.message for doubt in doubts] == [
        "row 1, time: the quote 'at 03 UT' does not contain 2022-01-01T04:00:00",
        "row 1, Dst: the quote 'Its Dst was -50 nT' does not contain 50",
    ]
    document = from_document(made)
    assert document is not None
    assert [line.endswith(f" ({OTHER})") for line in document.lines] == [False, True, True]


def test_quotes_of_a_text_are_checked_and_those_of_a_picture_or_a_scan_are_not() -> None:
    scan = SourceFile("scan.pdf", "2" * 64, "", "application/pdf", PAPER, 9, ("", " "))
    unread = SourceFile("unread.pdf", "3" * 64, "", "application/pdf", PAPER, 9)
    for source, number, expected in ((TEXT, 0, True), (PICTURE, 0, None), (scan, 1, None), (unread, 7, None)):
        cells = [cell(1, "time", "2022-01-01T03:00", "at 03 UT", number)]
        [made], doubts = table_steps(answer(table(cells)), [source])
        document = from_document(made)
        assert document is not None
        assert document.cells[0].on_page is expected
        assert document.cells[0].page == (number if source.is_pdf else 0)
        assert [("1 of 1 quotes" in doubt.message) for doubt in doubts] == ([] if expected else [True])


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([table(CLOUDS, document=2)], "there is no document 2"),
        ([table(CLOUDS, label="a b")], "the label 'a b' is taken, or has other characters"),
        ([table(CLOUDS), table(TIMES)], "the label 'CLOUDS' is taken"),
        ([table([])], "has no cells"),
        ([table(CLOUDS, label=f"T{number}") for number in range(MOST_TABLES + 1)], "at most 12 tables"),
        ([table(CLOUDS[:3])], "lacks a value in row 2"),
        ([table([*CLOUDS, CLOUDS[0]])], "two values for one cell"),
        ([table([cell(1, "start", "2022-01-01", "at 03 UT")])], "give start and stop, and nothing else"),
        ([table([*CLOUDS, cell(1, "Dst", "-50", "x"), cell(2, "Dst", "-50", "x")])], "and nothing else"),
        ([table([cell(1, "Dst", "-50", "Its Dst was")])], "has no column time"),
        (
            [table([cell(1, "time", "17/03/15", "at 03 UT")])],
            "'17/03/15' is not a time in ISO form",
        ),
        ([table([TIMES[0], cell(1, "Dst", "low", "x")])], "'low' is not a number"),
        ([table([TIMES[0], cell(1, "Dst", "inf", "x")])], "'inf' is not a number"),
        ([table([cell(1, "time", "2022-01-01", "")])], "the quote is empty"),
        ([table([cell(1, "time", "2022-01-01", "x" * 301)])], "more than 300 characters"),
        ([table([cell(1, "time", "2022-01-01", "at 03 UT", 3)])], "paper.pdf has no page 3; it has 2"),
        ([table([cell(1, "time", "2022-01-01", "at 03 UT", 0)])], "paper.pdf has no page 0"),
        ([table([cell(0, "time", "2022-01-01", "at 03 UT")])], "rows count from 1"),
        ([table([TIMES[0], cell(2, "time", "2022-01-01T03:00", "at 03 UT")])], "two rows with the same time"),
        (
            [table([CLOUDS[0], cell(1, "stop", "2022-01-01T02:00", "x")])],
            "row 1: it stops before or at its start",
        ),
        (
            [table([cell(n, "time", f"2022-01-01T00:{n % 60:02}:{n // 60:02}", "x") for n in range(1, 202)])],
            "201 rows",
        ),
    ],
)
def test_a_table_that_cannot_be_made_is_refused_with_its_cell(tables: Any, message: str) -> None:
    with pytest.raises(RejectedAnswer, match=message.replace("(", r"\(")) as caught:
        table_steps(answer(*tables), [SOURCE])
    assert {finding.code for finding in caught.value.diagnostics} == {"HA109"}


def test_an_answer_without_documents_has_no_tables() -> None:
    assert table_steps(answer(table(CLOUDS)), []) == ([], [])


# ---- proposals


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """Read the paper once: it is the same in all tests, and a process reads it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "pages_of", cache(documents.pages_of))
        yield


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "paper.pdf"
    path.write_bytes(PAPER)
    return path


@pytest.fixture
def desk(tmp_path: Path):
    made: list[Desk] = []

    def make(server: GeminiStandIn) -> Desk:
        settings = Settings(
            tmp_path / "home",
            model_keys={"gemini": KEY},
            model_urls={"gemini": server.url},
            model_fallback="",
            sandbox="weak",
        )
        made.append(Desk(settings, now=NOW))
        return made[-1]

    yield make
    for opened in made:
        opened.close()


SHADED = plan(
    fetch("AC_K2_MFI", "BGSEc"),
    figure("B", events=[{"of": "CLOUDS", "label": "cloud"}], vlines=[{"of": "ONSETS", "color": "black"}]),
    name="Clouds",
    tables=[table(CLOUDS), table([cell(1, "time", "2022-01-01T03:00", "at 4 UT", 1)], "ONSETS")],
)
REQUEST = "shade the clouds of table 1 for 2022-01-01"


def test_the_review_shows_each_cell_with_page_and_quote_and_what_was_not_found(desk, paper) -> None:
    with GeminiStandIn((LOOK, SEEN, SHADED)) as server:
        made = desk(server).create(REQUEST, sources=[paper])
        question = server.requests[-1]
        assert "tables" in question.schema["properties"]
        assert "Never write values of a document into steps." in question.text
    assert isinstance(made, Proposal)
    lines = [plain(line).strip() for line in proposal_lines(made)]
    assert "values read from" in lines or any(line.startswith("values read from") for line in lines)
    assert any(
        line.endswith("row 1, stop: 2022-01-01T06:00:00 ← page 2 'lasted until 06 UT on the same day'")
        for line in lines
    )
    assert any(
        line.endswith(f"row 1, time: 2022-01-01T03:00:00 ← page 1 'at 4 UT' (NOT FOUND there; {OTHER})")
        for line in lines
    )
    assert (
        "warning[HE408] step ONSETS: row 1, time: the quote 'at 4 UT' is not on page 1 of paper.pdf" in lines
    )
    written = [finding["step_id"] for finding in made.diagnostics if finding["code"] == "HV604"]
    assert written == ["CLOUDS", "ONSETS", "figure"]
    [said] = [finding["message"] for finding in made.diagnostics if finding["step_id"] == "figure"]
    assert said.endswith("not measured: CLOUDS (from paper.pdf p. 2), ONSETS (from paper.pdf p. 1)")
    assert any(finding["message"].endswith("; they are from paper.pdf p. 2") for finding in made.diagnostics)
    tables = [step for step in made.template["steps"] if step["tool_name"] == "store_dataframe"]
    assert [step["annotations"]["document"]["sha256"] for step in tables] == [DIGEST] * 2


def test_figure_and_record_name_the_document_and_its_page(desk, paper, tmp_path: Path) -> None:
    with GeminiStandIn((LOOK, SEEN, SHADED)) as server:
        made = desk(server).create(REQUEST, sources=[paper])
    settings = Settings(tmp_path / "home", sandbox="weak", engine="direct")
    run = api.run(
        made.template,
        archive="sample",
        time_range="2022-01-01",
        output=tmp_path / "out",
        settings=settings,
        now=NOW,
    )
    assert run.status == "success", [step.error for step in run.result.steps]
    page = next(file.path for file in run.artefacts if file.kind == "html").read_text(encoding="utf-8")
    drawn = page.replace("\\u003c", "<").replace("<br>", " ")
    assert "from paper.pdf p. 2, not measured: CLOUDS" in drawn
    assert "from paper.pdf p. 1, not measured: ONSETS" in drawn
    record = Runs(settings.runs).load(run.id)
    by_step = {step["step_id"]: step.get("documents") for step in record.step_records}
    assert by_step["CLOUDS"] == [{"name": "paper.pdf", "sha256": DIGEST, "pages": [2]}]
    assert by_step["B" if "B" in by_step else "b"] is None
    assert by_step["figure"] == [
        {"name": "paper.pdf", "sha256": DIGEST, "pages": [2]},
        {"name": "paper.pdf", "sha256": DIGEST, "pages": [1]},
    ]


def test_values_of_a_document_in_a_step_are_refused_and_the_model_corrects_itself(desk, paper) -> None:
    code = "result = pd.Series(0.0, index=pd.to_datetime(['2022-01-01T03:00']))"
    wrong = plan(fetch(), step("t", "store_dataframe", pandas_code=code, output_label="T"), figure())
    epochs = plan(
        fetch(),
        step("e", "superposed_epoch", series_label="B.x", zero_times=["2022-01-01T03:00"], before="1h", after="1h",
             bin="10min", output_label="E"),
        figure("E"),
    )  # fmt: skip
    with GeminiStandIn((LOOK, SEEN, wrong, epochs, SHADED)) as server:
        made = desk(server).create(REQUEST, sources=[paper])
        assert isinstance(made, Proposal)
        assert "step t contains values: give those of a document in tables" in server.requests[-2].text
        assert "step e contains values" in server.requests[-1].text


def test_times_that_a_model_writes_into_a_figure_are_said(desk, paper) -> None:
    drawn = plan(fetch(), figure("B", vlines=[{"x": "2024-01-15T03:00"}]), name="Lines")
    with GeminiStandIn((LOOK, SEEN, drawn)) as server:
        made = desk(server).create("mark the shock of the paper for last week", sources=[paper])
    said = [finding["message"] for finding in made.diagnostics if finding["code"] == "HE408"]
    assert said == ["it marks times that name no page of a document: 2024-01-15T03:00"]


# ---- edits


@pytest.fixture
def mine(desk, paper) -> tuple[Any, Path]:
    """A pipeline with a table of a paper."""
    with GeminiStandIn((LOOK, SEEN, SHADED)) as server:
        open_desk = desk(server)
        open_desk.proposals.accept(open_desk.create(REQUEST, name="mine", sources=[paper]))
    return paper


def test_an_edit_adds_a_table_of_a_document(desk, paper) -> None:
    shades = edit(put(3, "tool_args/events", [{"of": "CLOUDS"}]), touches="both", tables=[table(CLOUDS)])
    with GeminiStandIn((shades,)) as server:
        made = desk(server).edit(
            "ace-bfield-overview", "add the intervals of table 1", name="mine", sources=[paper]
        )
    assert isinstance(made, Proposal)
    assert from_document(made.template["steps"][0]) is not None
    assert any(
        "row 2, stop: 2022-01-01T15:30:00 ← page 2 'ended at 15:30 UT'" in line
        for line in proposal_lines(made)
    )


CLAIM = FromDocument("paper.pdf", DIGEST, (Cell(1, "time", "2022-01-01T03:00:00", 2, "at 03 UT", True),))


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (put("CLOUDS", "tool_args/pandas_code", "result = pd.Series(5.0, index=[pd.Timestamp('2022-01-01')])"),
         "the values of step CLOUDS were read from paper.pdf p. 2: change them with tables"),
        (put("CLOUDS", "annotations/document/cells/0/value", "2022-01-01T04:00:00"), "an edit may not change"),
        (put("CLOUDS", "annotations/document/cells/0/quote", "at 04 UT"), "an edit may not change"),
        (put("figure", "annotations", {"document": CLAIM.to_json()}), "an edit may not change"),
        ({"op": "add", "value_json": json.dumps({"step_id": "x", "tool_name": "store_dataframe", "tool_args": {
            "pandas_code": code_of(CLAIM.cells), "output_label": "x"}, "annotations": {"document": CLAIM.to_json()}})},
         "may not write annotations"),
    ],
)  # fmt: skip
def test_no_model_forges_a_source(operation, message, desk, mine) -> None:
    with GeminiStandIn((edit(operation, touches="both"),) * 4) as server:
        with pytest.raises(NotProved) as caught:
            desk(server).edit("mine", "use other intervals and another source")
        assert any(message in finding.message for finding in caught.value.diagnostics), (
            caught.value.diagnostics
        )


def test_no_other_program_forges_a_source(desk, mine) -> None:
    with GeminiStandIn(()) as server:
        open_desk = desk(server)
    template = open_desk.library.read(open_desk.library.find("mine"))
    with pytest.raises(NotProved) as caught:
        open_desk.propose(json.dumps({**template, "id": "other"}), "the clouds", written_by="a program")
    assert "may not write annotations/document" in caught.value.diagnostics[0].message
    renamed = json.dumps({**template, "name": "Magnetic clouds"})
    assert (
        open_desk.propose(renamed, "another name", written_by="a program", pipeline="mine").state == "pending"
    )


def test_a_value_that_a_person_changes_is_said_in_check_and_review(desk, mine) -> None:
    with GeminiStandIn(()) as server:
        library = desk(server).library
    template = library.read(library.find("mine"))
    codes = [finding.code for finding in check(template, now=NOW).diagnostics]
    assert "HV606" not in codes
    table = template["steps"][0]["tool_args"]
    table["pandas_code"] = table["pandas_code"].replace("06:00:00", "09:00:00")
    [finding] = [finding for finding in check(template, now=NOW).diagnostics if finding.code == "HV606"]
    assert finding.message == "the values of the step are not those that were read from paper.pdf p. 2"


@pytest.mark.parametrize("sentence", SENTENCES.values(), ids=SENTENCES)
def test_a_hostile_quote_stands_in_one_line_of_the_review(sentence: str, desk, paper) -> None:
    quote = "".join(letter for letter in sentence if letter.isprintable() or letter == "\n")[:250]
    cells = [cell(1, "time", "2022-01-01T03:00", quote)]
    drawn = plan(fetch(), figure("B", vlines=[{"of": "T"}]), name="Lines", tables=[table(cells, "T")])
    with GeminiStandIn((LOOK, SEEN, drawn)) as server:
        made = desk(server).create("mark the times of the paper for last week", sources=[paper])
    lines = [plain(line) for line in proposal_lines(made)]
    [shown] = [line for line in lines if "row 1, time: 2022-01-01T03:00:00 ← page 2" in line]
    assert shown.rstrip('"').endswith("(NOT FOUND there)")
    assert all(len(line.splitlines()) == 1 for line in lines)
