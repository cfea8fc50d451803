"""The page about one run: whole in one file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.commands import helio
from tests.flows.browser import CHROMIUM, chromium
from tests.waiting import wait_until
from tests.web.homes import add_run, error
from tests.web.test_site import HOSTILE, Page


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def report(*words: str) -> str:
    printed = helio("report", "last", *words).output.strip()
    return Path(printed).read_text(encoding="utf-8")


def test_a_report_has_everything_in_one_file(home: Path):
    run_id = add_run(home, "2024-05-10", export="field.csv")
    text = report()
    parsed = Page(text)
    assert Path(f"{run_id}.html").is_file()
    assert all(link.startswith(("data:", "#")) for link in parsed.links)
    assert parsed.all("img")[0]["src"].startswith("data:image/png;base64,")  # type: ignore[union-attr]
    assert parsed.all("img")[0]["alt"]
    words = " ".join(parsed.text.split())
    for part in (
        "ACE field 2024-05-10",
        "N. Ness",
        "field.csv",
        "sha256:1111",
        run_id,
        "panel 1: coverage",
        "Data in the figures",
        "AC_H2_MFI.BGSEc: Bx98.0 %231232",
        "fetch_data",
    ):
        assert part in words


def test_a_report_without_png_holds_the_interactive_figure(home: Path):
    add_run(home, "2024-05-10", formats=("html",))
    parsed = Page(report())
    (frame,) = parsed.all("iframe")
    assert frame["srcdoc"] is not None
    assert "Plotly.newPlot" in frame["srcdoc"]
    assert "src=" not in re.sub(r"<script>.*?</script>", "", frame["srcdoc"], flags=re.DOTALL)


def test_a_report_of_a_failed_run_says_why(home: Path):
    add_run(home, "2024-05-10", status="failed", failure=error("Offline", "no network", "plug it in"))
    words = " ".join(Page(report()).text.split())
    assert "Failed step fetch: no network" in words
    assert "What to do: plug it in" in words


def test_a_run_without_an_interval_has_a_report(home: Path):
    add_run(home, "")
    assert "ACE field" in report()


def test_a_report_replaces_no_file_unless_asked(home: Path):
    add_run(home, "2024-05-10")
    Path("mine.html").write_text("mine")
    assert "exists already" in helio("report", "last", "-o", "mine.html", code=2).output
    assert Path("mine.html").read_text() == "mine"
    assert "ACE field" in report("-o", "mine.html", "--replace")


def test_a_report_of_an_unknown_run_is_an_error(home: Path):
    assert "no runs yet" in helio("report", "last", code=2).output
    add_run(home, "2024-05-10")
    assert "no run is called 'nothing'" in helio("report", "nothing", code=2).output


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_texts_are_shown_as_texts(home: Path, words: str):
    add_run(home, "2024-05-10", run_id="run-1", pipeline=words, name=words, title=words, values={"$A": words})
    parsed = Page(report())
    assert not parsed.all("script")
    assert not [attrs for _, attrs in parsed.tags if any(name.startswith("on") for name in attrs)]
    assert words in parsed.text


@pytest.mark.browser
@pytest.mark.process
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
@pytest.mark.parametrize("formats", [("png", "html"), ("html",), ("svg",)])
def test_a_browser_shows_a_report_without_asking_anybody(
    home: Path, tmp_path: Path, formats: tuple[str, ...]
):
    add_run(home, "2024-05-10", formats=formats)
    report("-o", "report.html")
    with chromium(tmp_path / "profile") as browser:
        browser.call("Network.enable")
        browser.call(
            "Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False
        )
        browser.open((tmp_path / "report.html").as_uri())
        browser.shows("Provenance")
        if formats == ("html",):
            wait_until(
                lambda: browser.evaluate("Boolean(frames[0].document.querySelector('.main-svg'))"),
                "the figure",
            )
        else:
            assert browser.evaluate("document.images[0].decode().then(() => true)")
        assert browser.evaluate("document.documentElement.scrollWidth") <= 390
        assert browser.reports == []
        assert len([url for _, url in browser.requests if not url.startswith(("data:", "about:"))]) == 1
