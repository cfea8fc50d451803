"""The pages of the gallery, without a browser: what they say, where they link, what they escape."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pytest

from helio.pipelines.runs import artefacts
from helio.pipelines.runs.basis import Basis
from helio.settings import Settings
from helio.store.runs import Runs
from helio.store.store import Store, StoredResult
from helio.store.work_keys import key_of
from helio.web.gallery import safe_name
from helio.web.site import START, Site, changes_of, explain, interval_address, was_remade
from tests.web.homes import NOW, add_run, error, picture, settings_of, usual_home


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return usual_home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def site(settings: Settings) -> Site:
    return Site(settings, now=lambda: NOW)


def page(site: Site, address: str) -> str:
    content = site.content(address)
    assert content is not None, address
    assert content.is_page
    return content.body.decode()


def shown_picture(site: Site) -> str:
    """The small picture of the first interval."""
    return site.thumbnail_of(site.gallery.series[0].intervals[0].run)


class Page(HTMLParser):
    """The parts of a page that tests look at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.links += [value for name, value in attrs if name in ("href", "src") and value]

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def resolved(address: str, link: str) -> str:
    """The address to which a relative link of a page leads."""
    parts: list[str] = []
    for part in (*PurePosixPath(address).parent.parts, *unquote(link).split("/")):
        if part == "..":
            parts.pop()  # IndexError: the link leaves the site
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def test_every_link_of_every_page_leads_to_a_page_or_a_file(site: Site):
    for address in site.pages:
        for link in Page(page(site, address)).links:
            if link.startswith(("#", "data:,")):
                continue
            assert not re.match(r"[a-z]+:|/", link), f"{address} links to {link}"
            assert site.content(resolved(address, link)) is not None, f"{address} links to {link}"


def test_every_picture_and_frame_has_words_for_readers_who_do_not_see_it(site: Site):
    for address in site.pages:
        parsed = Page(page(site, address))
        assert all(attrs.get("alt") for attrs in parsed.all("img"))
        assert all(attrs.get("title") for attrs in parsed.all("iframe"))


def test_headings_of_every_page_begin_with_one_h1_and_leave_no_level_out(site: Site):
    for address in site.pages:
        levels = [int(tag[1]) for tag, _ in Page(page(site, address)).tags if re.fullmatch("h[1-6]", tag)]
        assert levels.count(1) == 1, address
        assert all(after <= before + 1 for before, after in zip([0, *levels], levels, strict=False)), address


def test_the_first_page_shows_the_latest_figure_and_what_failed(site: Site):
    text = page(site, START)
    words = " ".join(Page(text).text.split())
    assert "2024-05-10 drawn 2024-05-11 06:10 UTC" in words
    assert "failed 2024-05-11 step fetch: the server is gone" in words
    assert "second line" not in words
    assert "waiting 2024-05-06" in words
    assert 'class="cell done"' in text


def test_a_pipeline_without_png_says_how_to_get_thumbnails(site: Site):
    assert "helio run swpc-now --format png" in page(site, "swpc-now/index.html")
    frames = Page(page(site, "swpc-now/2024-05-10.html")).all("iframe")
    assert [frame["height"] for frame in frames] == ["508"]
    assert "--format png" not in page(site, "ace-field/index.html")


def test_a_month_shows_only_its_own_days_and_links_to_its_neighbours(site: Site):
    parsed = Page(page(site, "ace-field/2024-05.html"))
    assert [attrs["href"] for attrs in parsed.all("a") if attrs.get("rel") == "prev"] == [
        "../ace-field/2024-04.html"
    ]
    assert not [attrs for attrs in parsed.all("a") if attrs.get("rel") == "next"]
    small = [link for link in parsed.links if "thumbs/" in link]
    assert len(small) == len(set(small)) == 6
    words = " ".join(parsed.text.split())
    assert "Mon 6 waiting step fetch: AC_H2_MFI has no file for 2024-05-06 the data may still come" in words
    assert "Apr 2024: 1 done" in words


@pytest.mark.parametrize(
    ("time_ranges", "kind", "words"),
    [
        (["2024-05-01 to 2024-05-08", "2024-05-08 to 2024-05-15"], "calendar", "Wed 1 to Wed 8"),
        (
            [f"2024-05-10T{hour:02}:00/2024-05-10T{hour + 1:02}:00" for hour in range(6)],
            "list",
            "Fri 10 00:00 to 01:00",
        ),
        (
            ["2024-05-10T00:00/2024-05-10T12:00", "2024-05-10T12:00/2024-05-11"],
            "calendar",
            "Fri 10 12:00 to Sat 11 00:00",
        ),
        (["2024-05-10", "2024-05-12"], "calendar", "Sun 12"),
    ],
)
def test_days_make_a_calendar_and_other_intervals_a_list(
    tmp_path: Path, time_ranges: list[str], kind: str, words: str
):
    for time_range in time_ranges:
        add_run(tmp_path, time_range)
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    parsed = Page(page(site, "ace-field/2024-05.html"))
    assert [attrs["class"] for attrs in parsed.all("ol") if attrs.get("class")] == [kind]
    assert words in " ".join(parsed.text.split())
    assert len({link for link in parsed.links if "thumbs/" in link}) == len(time_ranges)


def test_a_page_of_a_figure_has_everything_that_belongs_to_it(site: Site):
    parsed = Page(page(site, "ace-field/2024-05-10.html"))
    words = " ".join(parsed.text.split())
    assert [(attrs["rel"], attrs["href"]) for attrs in parsed.all("a") if attrs.get("rel")] == [
        ("up", "../ace-field/2024-05.html"),
        ("prev", "../ace-field/2024-05-09.html"),
        ("next", "../ace-field/2024-05-11.html"),
    ]
    assert "Magnetic field. Panels from top to bottom: AC_H2_MFI.BGSEc; magnitude." in (
        parsed.all("img")[0]["alt"] or ""
    )
    assert "field.csv" in words
    assert "N. Ness. ACE Magnetic Field" in words
    assert "sha256:1111" in words
    assert "ac_h2_mfi_20240510_v06.cdf" in words
    assert "day 131" in words
    assert "panel 1: coverage 100.0 %" in words


def test_earlier_versions_of_an_interval_have_pages_of_their_own(site: Site):
    links = [link for link in Page(page(site, "ace-field/2024-05-10.html")).links if "/runs/" in link]
    assert len(links) == 1
    old = page(site, resolved("ace-field/2024-05-10.html", links[0]))
    assert "Another run of this interval" in old
    assert "2024-05-11 05:00 UTC" in old


def test_a_run_without_png_shows_the_png_of_the_same_figure(tmp_path: Path):
    add_run(tmp_path, "2024-05-10", started_at="2024-05-11T01:00:00+00:00")
    add_run(tmp_path, "2024-05-10", started_at="2024-05-11T02:00:00+00:00", formats=("html",))
    other = {"data": [], "layout": {"width": 700, "height": 501}}
    add_run(tmp_path, "2024-05-11", formats=("html",), figure=other)
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    same, another = site.gallery.series[0].intervals
    assert site.thumbnail_of(same.run)
    assert not site.thumbnail_of(another.run)


def test_problems_with_the_same_reason_are_one_line(tmp_path: Path):
    for day in range(10, 16):
        add_run(tmp_path, f"2024-05-{day}", status="failed", failure=error("Offline", "no network"))
    words = " ".join(Page(page(Site(settings_of(tmp_path), now=lambda: NOW), START)).text.split())
    assert words.count("no network") == 1
    assert "failed 2024-05-15, 2024-05-14, 2024-05-13, 2024-05-12 and 2 more step fetch: no network" in words


def test_a_figure_whose_html_was_replaced_is_drawn_from_the_store(tmp_path: Path):
    run_id = add_run(tmp_path, "2024-05-10")
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    (address,) = [name for name in site.files_named if name.endswith("figure.html")]
    before = site.content(address)
    (tmp_path / "out" / run_id / "figure.html").write_text("<h1>something else</h1>")
    after = site.content(address)
    assert before is not None
    assert after is not None
    assert b"something else" not in after.body
    assert b"helioFigure(figure)" in after.body


def test_a_png_that_was_replaced_comes_from_the_drawing_in_the_store(tmp_path: Path):
    run_id = add_run(tmp_path, "2024-05-10", in_store=False)
    settings = settings_of(tmp_path)
    replaced = tmp_path / "out" / run_id / "figure.png"
    replaced.write_bytes(picture("another figure"))
    assert not shown_picture(Site(settings, now=lambda: NOW))
    store = Store(settings.store)
    figure = next(
        step["outputs"][0]["digest"]
        for step in Runs(settings.runs).load(run_id).step_records
        if step["outputs"]
    )
    drawing = picture("the figure")
    recipe = artefacts._recipe(figure, "png", None)
    digest = store.put_bytes(drawing, ".png")
    store.record(key_of(recipe), StoredResult(key_of(recipe), recipe, digest, ".png", {}, "2024-05-11", 0.0))
    site = Site(settings, now=lambda: NOW)
    assert shown_picture(site)
    (address,) = [name for name in site.files_named if name.startswith("files/") and name.endswith(".png")]
    content = site.content(address)
    assert content is not None
    assert content.body == drawing


def test_a_file_that_changed_after_the_run_is_not_shown(tmp_path: Path):
    run_id = add_run(tmp_path, "2024-05-10", export="field.csv")
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    (address,) = [name for name in site.files_named if name.endswith(".csv")]
    (tmp_path / "out" / run_id / "field.csv").write_text("other numbers")
    assert site.content(address) is None


def test_a_home_without_runs_says_how_to_begin(tmp_path: Path):
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    assert list(site.pages) == [START]
    assert "There are no runs yet" in page(site, START)


def test_a_damaged_record_is_counted_and_does_not_hide_the_others(tmp_path: Path):
    add_run(tmp_path, "2024-05-10")
    broken = add_run(tmp_path, "2024-05-11")
    (tmp_path / "runs" / broken / "run.json").write_text("{")
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    assert "1 run record is damaged" in page(site, START)
    assert "ace-field/2024-05-10.html" in site.pages


def test_new_runs_appear_after_a_refresh(tmp_path: Path):
    add_run(tmp_path, "2024-05-10")
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    add_run(tmp_path, "2024-05-11")
    assert "ace-field/2024-05-11.html" not in site.pages
    site.refresh()
    assert "ace-field/2024-05-11.html" in site.pages


def test_runs_with_other_values_are_another_series(tmp_path: Path):
    add_run(tmp_path, "2024-05-10", values={"$SC": "mms1", "$N": 1}, started_at="2024-05-11T01:00:00+00:00")
    add_run(tmp_path, "2024-05-10", values={"$SC": "mms2", "$N": 1}, started_at="2024-05-11T02:00:00+00:00")
    first, second = Site(settings_of(tmp_path), now=lambda: NOW).gallery.series
    assert (first.name, first.values) == ("ace-field", {"$SC": "mms1"})
    assert second.name.startswith("ace-field--")
    assert second.values == {"$SC": "mms2"}


# Hostile names ----------------------------------------------------------------------------------------------

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    "../../etc/passwd",
    "javascript:alert(1)",
    "\u202egnp.exe",
)


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_texts_are_shown_as_texts(tmp_path: Path, words: str):
    add_run(
        tmp_path, "2024-05-10", run_id="run-1", pipeline=words, name=words, title=words, values={"$A": words}
    )
    add_run(
        tmp_path, "2024-05-11", run_id="run-2", pipeline=words, name=words, status="failed", values={"$A": words},
        failure=error("Offline", words, words),
    )  # fmt: skip
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    assert len(site.pages) == 5
    for address in site.pages:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*", address)
        text = page(site, address)
        parsed = Page(text)
        assert not [attrs for _, attrs in parsed.tags if any(name.startswith("on") for name in attrs)]
        assert not [link for link in parsed.links if link.startswith("javascript:")]
        assert words in parsed.text
        assert all(re.fullmatch(r"[./]*gallery\.js", attrs["src"] or "") for attrs in parsed.all("script"))
        assert all(
            "thumbs/" in (attrs["src"] or "") or "files/" in (attrs["src"] or "")
            for attrs in parsed.all("img")
        )


@pytest.mark.parametrize("run_id", ["a b", 'x"y', "<b>", "%2e%2e", "x..%2f..%2fetc", "a?b#c", "ü"])
def test_strange_run_ids_make_safe_addresses(tmp_path: Path, run_id: str):
    add_run(tmp_path, "2024-05-10", run_id=run_id, started_at="2024-05-11T01:00:00+00:00")
    add_run(tmp_path, "2024-05-10", run_id="newer")
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    address = f"ace-field/runs/{safe_name(run_id)}.html"
    assert re.fullmatch(r"ace-field/runs/x[0-9a-f]{12}\.html", address)
    assert "Another run" in page(site, address)


@pytest.mark.parametrize(
    "address",
    [
        "../secret",
        "files/../../secret",
        "files/..%2f..%2fsecret",
        "thumbs/../run.json",
        "files/",
        "files",
        "",
        "/etc/passwd",
        "files//etc/passwd",
        "ace-field",
        "ace-field/",
        "runs/run.json",
        "files/\x00",
        "gallery.css/..",
        "static/gallery.css",
        "templates/base.html",
    ],
)
def test_only_known_addresses_have_content(site: Site, address: str):
    assert site.content(address) is None


def test_a_record_that_names_a_foreign_file_does_not_show_it(tmp_path: Path):
    run_id = add_run(tmp_path, "2024-05-10", export="field.csv")
    secret = tmp_path / "secret.csv"
    secret.write_text("password")
    header = tmp_path / "runs" / run_id / "run.json"
    written = json.loads(header.read_text())
    next(file for file in written["artefacts"] if file["kind"] == "data")["file"] = str(secret)
    header.write_text(json.dumps(written))
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    assert not [
        address for address in site.files_named if site.content(address) is None and "secret" not in address
    ]
    assert all(site.content(address) is None for address in site.files_named if "secret" in address)


def test_a_long_interval_is_marked_on_each_of_its_days_in_each_of_its_months(tmp_path: Path):
    add_run(tmp_path, "2024-04-20 to 2024-05-17")
    add_run(tmp_path, "2024-05-10")
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    [series] = site.gallery.series
    address = f"../{interval_address(series, series.intervals[0])}"
    for month, days in (("04", 11), ("05", 16)):
        parsed = Page(page(site, f"ace-field/2024-{month}.html"))
        links = [attrs for attrs in parsed.all("a") if attrs["href"] == address]
        bars = [attrs["title"] for attrs in links if attrs.get("class", "").startswith("bar ")]
        assert bars == ["2024-04-20 to 2024-05-17: done"] * (days - 1)
        assert len([attrs for attrs in links if attrs.get("class") == "picture"]) == 1
        marked = page(site, f"ace-field/2024-{month}.html").count('<i class="done">')
        assert marked == 11 + 16 + 1  # and the legend
    assert "Apr 2024: 1 done" in Page(page(site, "ace-field/2024-05.html")).text


def test_the_figures_before_and_after_are_of_the_same_length(tmp_path: Path):
    for time_range in (
        "2024-04-01 to 2024-04-28",
        "2024-04-28 to 2024-05-25",
        "2024-04-05",
        "2024-05-10",
        "2024-02",
        "2024-03",
    ):
        add_run(tmp_path, time_range)
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    [series] = site.gallery.series
    pairs = {
        str(item.span): before and str(before.span)
        for item in series.intervals
        for before, _ in [series.neighbours[item.span]]
    }
    before = [value and value[:10] for value in pairs.values()]
    assert dict(zip([span[:10] for span in pairs], before, strict=True)) == {
        "2024-02-01": None,
        "2024-03-01": "2024-02-01",
        "2024-04-01": None,
        "2024-04-05": None,
        "2024-04-28": "2024-04-01",
        "2024-05-10": "2024-04-05",
    }


def test_an_interval_of_many_years_is_marked_where_it_starts(tmp_path: Path):
    add_run(tmp_path, "1963-11-27 to 2024-01-01")
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    assert [address for address in site.pages if "1963-11.html" in address or "1964" in address] == [
        "ace-field/1963-11.html"
    ]


def test_no_data_of_long_ago_is_final_and_recent_days_wait(tmp_path: Path):
    missing = error("NoData", "AC_H2_MFI has no file", "choose another time range")
    for day in ("2024-04-01", "2024-05-10"):
        add_run(tmp_path, day, status="failed", failure=missing)
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    assert [item.state for item in site.gallery.series[0].intervals] == ["no data", "waiting"]
    assert "Waiting" in Page(page(site, "ace-field/2024-05-10.html")).text
    assert "No data" in Page(page(site, "ace-field/2024-04-01.html")).text
    series = site.gallery.series[0]
    gap, late = (
        replace(interval, reason=words)
        for interval, words in zip(series.intervals, ("gap: no file", "not published yet"), strict=True)
    )
    assert explain(series, gap)[0].endswith("gap: no file")
    reason, advice = explain(series, late)
    assert reason.endswith("not published yet")
    assert advice.startswith("the data may still come; later run `helio run ")


def test_a_day_with_an_alert_is_marked_in_the_calendar_and_described_on_its_page(tmp_path: Path):
    facts = {
        "step_id": "dst",
        "label": "storms",
        "start": "",
        "stop": "",
        "unit": "nT",
        "time": "",
        "figure": "",
    }
    alert = {**facts, "kind": "alert", "message": "Dst < -100 nT <b>", "value": -130.0}
    unmet = {**facts, "kind": "unmet", "message": "not as expected: coverage", "value": None}
    add_run(tmp_path, "2024-05-10", events=[alert, unmet])
    made = Site(settings_of(tmp_path), now=lambda: NOW)
    month = page(made, "ace-field/2024-05.html")
    assert month.count('partial">alert</span>') == 1
    assert month.count('partial">not as expected</span>') == 1
    shown = page(made, "ace-field/2024-05-10.html")
    assert "Dst &lt; -100 nT &lt;b&gt;" in shown
    assert "not as expected: coverage" in shown


def test_a_remade_day_says_when_and_what_had_changed(tmp_path: Path) -> None:
    for day, started_at in (("2024-05-09", "10"), ("2024-05-09", "11"), ("2024-05-10", "11")):
        add_run(tmp_path, day, started_at=f"2024-05-{started_at}T06:10:00+00:00")
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    month = page(site, "ace-field/2024-05.html")
    assert month.count("made again on 11 May") == 1
    [interval, _] = site.gallery.series[0].intervals
    newest, oldest = interval.runs
    files = " AC_H2_MFI 2024-05-09/2024-05-10"
    newest = replace(newest, basis=Basis({"draw": "1"}, {"render_spec": 2}, {files: {"a_v02.cdf": "2"}}))
    oldest = replace(oldest, basis=Basis({"draw": "1"}, {"render_spec": 1}, {files: {"a_v02.cdf": "1"}}))
    remade = replace(interval, runs=(newest, oldest))
    words = changes_of(remade, newest)
    assert words == "the tool render_spec has changed: version 1 → 2; AC_H2_MFI: a_v02.cdf was republished"
    assert changes_of(remade, oldest) == ""
    assert not was_remade(replace(interval, runs=(newest, replace(oldest, files=newest.files))))


def test_the_legend_has_the_states_that_occur(site: Site) -> None:
    legend = re.search(r'<p class="legend".*?</p>', page(site, "ace-field/2024-05.html"), re.DOTALL)
    assert legend is not None
    assert re.findall(r"</i> ([a-z ]+)", legend[0]) == ["figure", "waiting", "failed"]


def test_a_day_that_waits_says_who_looks_again(tmp_path: Path) -> None:
    failure = error("NoData", "AC_H2_MFI has no file for 2024-05-10", "choose another time range")
    add_run(tmp_path, "2024-05-10", status="failed", failure=failure)
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    [series] = site.gallery.series
    [interval] = series.intervals
    assert explain(series, interval)[1].startswith("the data may still come; later run `helio run ace-field")
    late = replace(series, looks={interval.span: "1h for 3d"})
    assert explain(late, interval)[1] == "the data may still come: `helio serve` looks every 1h for 3d"
    waiting = page(site, "ace-field/2024-05-10.html")
    assert "How to cite" not in waiting
    assert '<p class="advice">the data may still come</p>' in page(site, "ace-field/2024-05.html")


def test_a_heartbeat_makes_no_page_read_the_records_again(tmp_path: Path) -> None:
    add_run(tmp_path, "2024-05-10")
    (tmp_path / "schedules").mkdir()
    site = Site(settings_of(tmp_path), now=lambda: NOW)
    before = site.gallery
    (tmp_path / "schedules" / ".heartbeat.json").write_text("{}")
    site.follow()
    assert site.gallery is before
    (tmp_path / "schedules" / "daily.json").write_text("{}")
    site.follow()
    assert site.gallery is not before
