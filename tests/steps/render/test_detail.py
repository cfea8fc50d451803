"""The detail of a figure: levels that lose no extreme, up to every sample, in files beside the page."""

import base64
import html
import itertools
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from helio.errors import OutputError
from helio.steps.render.detail import LINE, Detail, is_detail_folder, read_detail, remove_other_details
from helio.steps.render.downsample import pixel_borders
from helio.steps.render.enclose import enclose
from helio.steps.render.refine import FullLine, make_detail
from helio.steps.render.render_spec import render_spec
from helio.steps.render.write_figure import to_html
from helio.store.table import Axis, Table
from helio.web.site import SCROLL_BAR, frame_height
from tests.steps.series import START

SECOND = np.timedelta64(1, "s")


def wave(count=60_000, label="B", components=("Bx", "By")):
    values = np.random.default_rng(3).normal(size=(count, len(components))).cumsum(axis=0)
    return Table(START + np.arange(count) * SECOND, values, "nT", label, "GSE", components)


def flux(count=20_000, bins=8):
    energies = Axis("Energy", "keV", np.geomspace(1, 100, bins))
    values = np.random.default_rng(4).lognormal(size=(count, bins)).astype(np.float32)
    return Table(START + np.arange(count) * SECOND, values, "cm^-2", "Flux", axes=(energies,))


def detail_of(**tables):
    figure = render_spec(tables, spec={"panels": [[label] for label in tables]})
    return figure, Detail(make_detail(figure.details))


def content(script):
    return json.loads(script.removeprefix(b"helioDetail(").removesuffix(b");\n"))


def array(values):
    if isinstance(values, list):
        return np.array([np.nan if value is None else value for value in values])
    return np.frombuffer(base64.b64decode(values["bdata"]), f"<{values['dtype']}")


def nanoseconds(times):
    steps = np.arange(times["n"])
    if "x" in times:
        steps = np.frombuffer(base64.b64decode(times["x"]), f"<{times['kind']}").astype("i8")
    return round(times["x0"] * 1000) * 1000 + steps * round(times.get("dx", 0) * 1e6)


def level_of(detail, panel, number, uid):
    """The times and values of a line in a level, from its files."""
    level = panel["levels"][number]
    count = sum(end - first for first, end in level["runs"])
    x, y = [], []
    for script in detail.files[level["first"] : level["first"] + count]:
        part = content(script)
        if uid in part["lines"]:
            place, values = part["lines"][uid]
            x.append(nanoseconds(part["times"][place]))
            y.append(array(values))
    return np.concatenate(x), np.concatenate(y)


def test_every_level_keeps_the_extremes_of_its_pixels_and_the_last_has_every_sample():
    table = wave()
    figure, detail = detail_of(B=table)
    (panel,) = detail.panels
    assert len(panel["levels"]) == 3
    full = figure.details[0]
    epoch = table.epoch.astype("i8")
    for column, uid in enumerate(("p1-1", "p1-2")):
        values = table.values[:, column].astype(np.float32)
        for number in range(2):
            x, y = level_of(detail, panel, number, uid)
            finest = pixel_borders(full.start, full.stop, panel["pixels"] * 16)
            edges = finest[:: 4 ** (1 - number)].copy()
            edges[-1] += 1  # the last pixel includes the end
            for low, high in itertools.pairwise(edges):
                inside, kept = (epoch >= low) & (epoch < high), (x >= low) & (x < high)
                assert (y[kept].min(), y[kept].max()) == (values[inside].min(), values[inside].max())
        x, y = level_of(detail, panel, 2, uid)
        assert np.array_equal(x, epoch)
        assert np.array_equal(y, values)


def test_uneven_times_gaps_and_isolated_samples_are_exact():
    table = wave(50_000, components=("Bx",))
    epoch = table.epoch + np.arange(50_000) % 7 * np.timedelta64(1_234_567, "ns")
    values = table.values.copy()
    values[20_000:20_100] = np.nan
    values[20_050] = 1.0
    kept = (np.arange(50_000) < 30_000) | (np.arange(50_000) > 31_000)
    _, detail = detail_of(B=replace(table, epoch=epoch[kept], values=values[kept]))
    (panel,) = detail.panels
    x, y = level_of(detail, panel, len(panel["levels"]) - 1, "p1-1")
    valid = kept & np.isfinite(values[:, 0])
    assert np.array_equal(x[np.isfinite(y)] // 1000, epoch[valid].astype("i8") // 1000)
    assert np.array_equal(y[np.isfinite(y)], values[valid, 0].astype(np.float32))
    (place,) = np.flatnonzero(y == 1.0)
    assert np.isnan(y[[place - 1, place + 1]]).all(), "it stays isolated"
    assert np.isnan(y[np.searchsorted(x, epoch[30_500].astype("i8"))]), "the line is broken at the gap"


def test_the_last_level_of_a_spectrogram_has_every_record_and_no_level_loses_the_highest():
    table = flux()
    _, detail = detail_of(F=table)
    (panel,) = detail.panels
    assert panel["shown"] == [f"F: 20,000 records in {panel['pixels']:,} columns"]
    highest = np.log10(table.values.max(axis=0))
    for number, level in enumerate(panel["levels"]):
        count = sum(end - first for first, end in level["runs"])
        parts = [content(script) for script in detail.files[level["first"] : level["first"] + count]]
        z = np.concatenate([array(part["z"]).reshape(table.axes[0].bins, -1) for part in parts], axis=1)
        assert np.allclose(z.max(axis=1), highest, rtol=1e-6)
        if number == len(panel["levels"]) - 1:
            assert np.allclose(z, np.log10(table.values.T), rtol=1e-5, atol=1e-6)
        for part, following in itertools.pairwise(parts):
            assert nanoseconds(part["x"])[-1] == nanoseconds(following["x"])[0]


def test_a_page_counts_what_it_leaves_out_and_nothing_else():
    figure, detail = detail_of(MAG_B=wave(), F=flux(), few=wave(100, "few"))
    page = to_html(figure, scripts="beside", detail=detail).decode()
    (text,) = re.findall(r'<p id="drawn">(.*)</p>', page)
    drawn = sum(full.drawn for full in figure.details[:2])
    width = detail.panels[0]["pixels"]
    assert text == f"MAG_B: {drawn:,} of 120,000 points · F: 20,000 records in {width} columns"
    plain, nothing = detail_of(few=wave(100, "few"))
    assert nothing.panels == []
    assert to_html(plain, scripts="beside", detail=nothing) == to_html(plain, scripts="beside")


def test_the_first_bytes_of_a_page_say_how_high_it_is():
    figure, detail = detail_of(B=wave())
    height = figure.document["layout"]["height"]
    for shown, below in ((detail, LINE), (None, 0)):
        page = to_html(figure, scripts="beside", detail=shown)
        assert b'<meta charset="utf-8">' in page[:1024], "browsers look no further"
        page = enclose(page, "html", b"x" * 20_000, title="")
        assert frame_height(page[:10_000]) == height + below + SCROLL_BAR


def test_a_page_stays_small_and_the_picture_stays_the_same():
    figure, detail = detail_of(B=wave())
    assert "details" not in figure.document
    page = to_html(figure, scripts="beside", detail=detail)
    assert len(page) < len(to_html(figure, scripts="beside")) + 1500
    assert len(detail.content) > 5 * len(page)


class Elements(HTMLParser):
    """The elements of a page, as a browser reads them."""

    def __init__(self):
        super().__init__()
        self.names = []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)


def test_a_hostile_name_is_text():
    name = '</p></script><script>alert("1")</script>&'
    figure, detail = detail_of(**{f"A.{name}": wave()})
    for scripts in ("beside", "inside"):
        page = to_html(figure, scripts=scripts, detail=detail).decode()
        elements = Elements()
        elements.feed(page)
        loaded = {"beside": 2, "inside": 3 + len(detail.files)}
        assert elements.names.count("script") == loaded[scripts]
        assert elements.names.count("p") == 2
    assert html.escape(name) in page
    assert name.encode() not in b"".join(detail.files)


def test_equal_figures_have_equal_details_and_others_have_other_folders(tmp_path: Path):
    first, second = detail_of(B=wave())[1], detail_of(B=wave())[1]
    other = detail_of(B=wave(60_001))[1]
    assert first.content == second.content
    names = {detail.folder_name("fig") for detail in (first, other)} | {first.folder_name("fig.b")}
    assert len(names) == 3
    assert all(map(is_detail_folder, names))
    assert not is_detail_folder("fig.detail-mine")


def test_a_detail_is_written_completely_and_read_only_if_nothing_has_changed(tmp_path: Path):
    _, detail = detail_of(B=wave())
    folder = tmp_path / detail.folder_name("fig")
    for _ in range(2):
        detail.write(folder)
        assert read_detail(folder).content == detail.content
    (folder / "1.js").write_bytes(b"alert(1)")
    assert read_detail(folder) is None
    (folder / "1.js").unlink()
    assert read_detail(folder) is None
    detail.write(folder)
    assert [path.name for path in tmp_path.iterdir()] == [folder.name], "no temporary folder stays"
    assert {path.name for path in folder.iterdir()} == {
        "index.json",
        *(f"{number}.js" for number in range(len(detail.files))),
    }


def test_details_of_earlier_versions_of_a_page_are_removed_and_nothing_else(tmp_path: Path):
    _, detail = detail_of(B=wave())
    keep = detail.folder_name("fig")
    names = [keep, "fig.detail-0123456789abcdef", "fig.b.detail-0123456789abcdef", "fig.detail-mine", "fig"]
    for name in names:
        (tmp_path / name).mkdir()
    remove_other_details(tmp_path / "fig.html", keep)
    assert {path.name for path in tmp_path.iterdir()} == set(names) - {"fig.detail-0123456789abcdef"}


def test_a_folder_that_cannot_be_written_is_an_output_error(tmp_path: Path):
    _, detail = detail_of(B=wave())
    (tmp_path / "file").touch()
    with pytest.raises(OutputError):
        detail.write(tmp_path / "file" / detail.folder_name("fig"))


def test_ten_samples_in_one_pixel_stay_in_one_file():
    epoch = START + np.arange(10) * np.timedelta64(1, "ms")
    values = np.arange(10.0)
    never = np.zeros(10, dtype=bool)
    full = FullLine("p1-1", "B", epoch, values, never, START, START + np.timedelta64(1, "D"), 4, 2, 10)
    detail = Detail(make_detail([full]))
    (panel,) = detail.panels
    assert panel["levels"] == [{"parts": 1, "first": 0, "runs": [[0, 1]]}]
    assert np.array_equal(level_of(detail, panel, 0, "p1-1")[1], values)


def cloud_of(count=50_000, **entry):
    random = np.random.default_rng(7)
    epoch = START + np.arange(count) * SECOND
    tables = {
        "n": Table(epoch, random.lognormal(1, 1, count), "cm^-3", "n"),
        "v": Table(epoch, random.normal(400, 50, count), "km s^-1", "v"),
    }
    figure = render_spec(tables, spec={"xy": [{"x": "n", "y": "v", **entry}]})
    return tables, figure, Detail(make_detail(figure.details))


@pytest.mark.parametrize("log", [False, True])
def test_the_files_of_a_cloud_have_each_point_once_within_their_limits(log):
    tables, figure, detail = cloud_of(log_x=log)
    (panel,) = detail.panels
    (cloud,) = panel["points"]
    assert panel["shown"] == [f"v: {len(array(figure.document['data'][0]['x'])):,} of 50,000 points"]
    assert (cloud["uid"], cloud["shape"], cloud["counts"]) == ("p1", "points", True)
    found = []
    for number, count, *limits in cloud["parts"]:
        part = content(detail.files[number])
        x, y, times = (array(part[key]) for key in "xyt")
        assert x.size == y.size == times.size == count <= 20_000
        ends = [(np.log10(x) if log else x).min(), (np.log10(x) if log else x).max(), y.min(), y.max()]
        assert limits == pytest.approx(ends, rel=1e-5)
        assert (np.diff(times) > 0).all(), "a later point covers an earlier one"
        found += zip(times, x, y, strict=True)
    milliseconds = tables["n"].epoch.astype("i8") / 1e6
    times, x, y = map(np.array, zip(*sorted(found), strict=True))
    assert np.array_equal(times, milliseconds)
    np.testing.assert_allclose(x, tables["n"].values, rtol=1e-4)
    np.testing.assert_allclose(y, tables["v"].values, rtol=1e-5)


def test_a_small_part_of_a_cloud_needs_few_files():
    _, _, detail = cloud_of(400_000)
    parts = detail.panels[0]["points"][0]["parts"]
    near = [part for part in parts if part[2] <= 3.1 and part[3] >= 3.0 and part[4] <= 405 and part[5] >= 400]
    assert len(near) <= 3 < 16 <= len(parts)


def test_a_line_of_points_goes_on_from_file_to_file():
    turn = np.linspace(0, 60, 50_000)
    epoch = START + np.arange(turn.size) * SECOND
    tables = {"a": Table(epoch, np.cos(turn), "nT", "a"), "b": Table(epoch, np.sin(turn), "nT", "b")}
    figure = render_spec(tables, spec={"xy": [{"x": "a", "y": "b", "mode": "lines"}]})
    detail = Detail(make_detail(figure.details))
    line = next(each for each in detail.panels[0]["points"] if each["shape"] == "line")
    pieces = [content(detail.files[number]) for number, *_ in line["parts"]]
    assert all(array(one["x"])[-1] == array(other["x"])[0] for one, other in itertools.pairwise(pieces))
    assert sum(array(piece["x"]).size for piece in pieces) == 50_000 + len(pieces) - 1
    assert line["uid"] in {trace["uid"] for trace in figure.document["data"]}


def test_every_bin_of_a_spectrum_and_its_quartiles_are_in_the_detail():
    frequencies = np.geomspace(1e-3, 10, 20_000)
    values = np.random.default_rng(1).lognormal(size=(12, 20_000))
    table = Table(
        START + np.arange(12) * SECOND,
        values,
        "nT^2/Hz",
        "PSD",
        axes=(Axis("f", "Hz", frequencies, scale="log"),),
    )
    figure = render_spec({"P": table}, spec={"panels": [["P"]], "panel_types": ["spectrum"]})
    detail = Detail(make_detail(figure.details))
    curve, band = detail.panels[0]["points"]
    assert [(each["uid"], each["shape"]) for each in (curve, band)] == [
        ("p1-1", "line"),
        ("p1-1-band", "area"),
    ]
    part = content(detail.files[curve["parts"][0][0]])
    np.testing.assert_allclose(array(part["y"]), np.median(values, axis=0), rtol=1e-6)
    assert array(content(detail.files[band["parts"][0][0]])["x"]).size == 40_000


def test_a_cloud_of_few_points_has_no_detail():
    assert cloud_of(4_000)[2].panels == []


def test_a_figure_may_hold_only_the_drawn_points():
    tables = {"B": wave(), "n": cloud_of()[0]["n"], "v": cloud_of()[0]["v"]}
    spec = {"panels": [["B"]], "xy": [{"x": "n", "y": "v"}], "points": "drawn"}
    figure = render_spec(tables, spec=spec)
    words = figure.document["layout"]["meta"]["drawn"]
    assert re.fullmatch(r"B: [\d,]+ of 120,000 points · v: [\d,]+ of 50,000 points", words)
    assert "the page holds only the points that are drawn" in figure.notes
    detail = Detail(make_detail(figure.details))
    assert detail.panels == []
    for scripts in ("beside", "inside"):
        assert (
            f"This page holds only the drawn points: {words}"
            in to_html(figure, scripts=scripts, detail=detail).decode()
        )
    few = render_spec({"B": wave(500)}, spec={"points": "drawn"})
    assert "meta" not in few.document["layout"], "such a page shows everything"
