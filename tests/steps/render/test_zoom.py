"""Pages of figures in a real browser: a reader zooms in to every sample, from a disk and from a server."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from helio.steps.render.detail import Detail
from helio.steps.render.refine import make_detail
from helio.steps.render.render_spec import render_spec
from helio.steps.render.symlog import Symlog
from helio.steps.render.write_figure import plotly_js, to_html, viewer_js
from helio.store.table import Axis, Table
from tests.flows.browser import CHROMIUM, Browser, chromium
from tests.steps.series import START
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.process,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium"),
]

COUNT = 17_792
STEP = np.timedelta64(5, "s")
PHONE, DESK = (390, 844), (1280, 900)
NAME = '</p><img src=x onerror="name=1">'


class Quiet(SimpleHTTPRequestHandler):
    """A web server that says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def values(columns: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(COUNT, columns)).cumsum(axis=0).astype(np.float32)


def write_pages(folder: Path) -> None:
    """Lines with a gap, a filled area and uneven times, a spectrogram with a line over it, and a hostile name."""
    epoch = START + np.arange(COUNT) * STEP
    uneven = epoch + np.arange(COUNT) % 3 * np.timedelta64(1_234_567, "ns")
    field = values(2)
    field[9_000:9_100] = np.nan
    field[9_050] = 1.0
    energies = Axis("Energy", "keV", np.geomspace(1, 100, 6))
    flux = np.random.default_rng(6).lognormal(size=(COUNT, 6))
    tables = {
        "MAG.B": Table(uneven, field, "nT", "B", "GSE", ("Bx", "By")),
        "F": Table(epoch, flux, "cm^-2", "Flux", axes=(energies,)),
        "E": Table(epoch, np.abs(values(1)[:, 0]) + 2, "keV", "E0"),
        f"X.{NAME}": Table(epoch, values(1)[:, 0], "km s^-1", "V"),
        "S": Table(epoch, np.full(COUNT, 0.25), "km s^-1", "S"),
    }
    panels = [["MAG.B"], ["F", "E"], [f"X.{NAME}"]]
    spec = {
        "panels": panels,
        "line_styles": {"MAG.B.By": {"fill_below": 0}},
        "bands": [{"line": f"X.{NAME}", "sigma": "S"}],
    }
    figure = render_spec(tables, spec=spec)
    detail = Detail(make_detail(figure.details))
    detail.write(folder / detail.folder_name("fig"))
    (folder / "fig.html").write_bytes(to_html(figure, scripts="beside", detail=detail, stem="fig"))
    (folder / "one").mkdir()
    (folder / "one" / "fig.html").write_bytes(to_html(figure, scripts="inside", detail=detail, stem="fig"))
    (folder / "helio-figure.js").write_bytes(viewer_js("plotly.min.js"))
    (folder / "plotly.min.js").write_bytes(plotly_js())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_pages(folder)
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as browser:
        browser.call("Network.enable")
        yield browser


@pytest.fixture(scope="module", params=["file", "http", "one file"])
def root(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    if request.param == "one file":
        yield (folder / "one").as_uri()
        return
    if request.param == "file":
        yield folder.as_uri()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def show(browser: Browser, address: str, size: tuple[int, int] = DESK) -> None:
    """Open a page in a window of a size, and wait until its figure is drawn."""
    browser.reports.clear()
    browser.requests.clear()
    browser.call(
        "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False
    )
    browser.open(address)
    drawn = f"location.href === {json.dumps(address)} && !!document.querySelector('.plotly .xy')"
    wait_until(lambda: browser.evaluate(drawn), f"the figure {address}")


def zoom(browser: Browser, first: np.datetime64, last: np.datetime64, words: str) -> None:
    """Show a part of the time axis, and wait for words in the line below the figure."""
    limits = json.dumps([str(first), str(last)])
    browser.evaluate(f"Plotly.relayout('figure', {{'xaxis.range': {limits}}}).then(() => 0)")
    wait_until(lambda: words in line_of(browser), f"'{words}' below the figure, not '{line_of(browser)}'")


def line_of(browser: Browser) -> str:
    return str(browser.evaluate("document.getElementById('drawn').textContent"))


def trace(browser: Browser, uid: str) -> dict[str, list[object]]:
    """The points of a trace as plotly.js draws them: times as texts, NaN as None."""
    code = (
        "(() => { const t = document.getElementById('figure')._fullData.find((t) => t.uid === %s);"
        "return {x: Array.from(t.x ?? []), y: Array.from(t.y, (v) => Number.isNaN(v) ? null : v),"
        "columns: t.z ? t.z[0].length : 0}; })()"
    )
    found: dict[str, list[object]] = browser.evaluate(code % json.dumps(uid))
    return found


def in_view(browser: Browser, uid: str, first: np.datetime64, last: np.datetime64) -> list[tuple[str, float]]:
    points = trace(browser, uid)
    return [
        (str(x), float(y))
        for x, y in zip(points["x"], points["y"], strict=True)
        if y is not None and first <= np.datetime64(str(x), "ns") <= last
    ]


def errors(browser: Browser) -> list[str]:
    return [report for report in browser.reports if "favicon" not in report]


def outside(browser: Browser, address: str) -> list[str]:
    root = address.rsplit("/", 1)[0]
    return [
        url
        for _, url in browser.requests
        if not url.startswith((root, "data:", "blob:", "about:")) and not url.endswith("favicon.ico")
    ]


def test_at_full_zoom_every_sample_is_shown(browser: Browser, root: str):
    address = f"{root}/fig.html"
    show(browser, address)
    before = line_of(browser)
    assert f"of {2 * (COUNT - 99):,} points" in before
    assert 1_000 < len(trace(browser, "p1-1")["y"]) < 4_000
    first, last = START + 8_990 * STEP, START + 9_110 * STEP
    zoom(browser, first, last, "all 42 points")
    field = values(2)
    for column, uid in enumerate(("p1-1", "p1-2")):
        shown = in_view(browser, uid, first, last)
        kept = [8_990 + k for k in range(10)] + [9_050] + [9_100 + k for k in range(10)]
        assert [y for _, y in shown] == [1.0 if k == 9_050 else float(field[k, column]) for k in kept]
    assert [y for _, y in in_view(browser, "p1-1-alone", first, last)] == [1.0]
    assert len(in_view(browser, "p2-1", first, last)) == 121
    assert len(in_view(browser, "p2-1-outline", first, last)) == 121
    assert trace(browser, "p2")["columns"] >= 121
    assert "F: every record" in line_of(browser)
    assert f"{NAME}: all 121 points" in line_of(browser)
    zoom(browser, START, START + (COUNT - 1) * STEP, before)
    assert 1_000 < len(trace(browser, "p1-1")["y"]) < 4_000
    assert errors(browser) == []
    assert outside(browser, address) == []
    assert browser.evaluate("window.name") != "1"


def test_every_part_of_the_day_has_all_its_samples(browser: Browser, root: str):
    show(browser, f"{root}/fig.html")
    for first in (0, 4_300, COUNT - 200):
        start, stop = START + first * STEP, START + (first + 199) * STEP
        zoom(browser, start, stop, f"{NAME}: all 200 points")
        shown = [y for _, y in in_view(browser, "p3-1", start, stop)]
        assert shown == [float(value) for value in values(1)[first : first + 200, 0]]
        # The line goes on to both sides of the panel.
        x = trace(browser, "p1-1")["x"]
        assert (np.datetime64(str(x[0])) < start) == (first > 0)


def test_a_wider_part_keeps_the_extremes(browser: Browser, root: str):
    show(browser, f"{root}/fig.html")
    start, stop = START, START + (COUNT // 2) * STEP
    zoom(browser, start, stop, "in view")
    shown = [y for _, y in in_view(browser, "p3-1", start, stop)]
    given = values(1)[: COUNT // 2 + 1, 0]
    assert (min(shown), max(shown)) == (float(given.min()), float(given.max()))


def test_the_filled_area_follows_the_line(browser: Browser, root: str):
    show(browser, f"{root}/fig.html")
    start, stop = START + 2_000 * STEP, START + 2_300 * STEP
    zoom(browser, start, stop, "all")
    line = in_view(browser, "p1-2", start, stop)
    filled = {y for _, y in in_view(browser, "p1-2-fill_below", start, stop)}
    assert {y for _, y in line if y < 0} <= filled
    assert max(filled, default=0) <= 0


def test_the_band_follows_the_line(browser: Browser, root: str):
    show(browser, f"{root}/fig.html")
    start, stop = START + 2_000 * STEP, START + 2_099 * STEP
    zoom(browser, start, stop, f"{NAME}: all 100 points")
    band = {y for _, y in in_view(browser, "p3-1-band", start, stop)}
    line = values(1)[2_000:2_100, 0].astype(np.float64)
    assert {float(np.float32(y)) for y in band} >= {
        float(np.float32(y)) for y in (*(line - 0.25), *(line + 0.25))
    }


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_one_line_at_the_pointer_crosses_all_panels(browser: Browser, root: str, size: tuple[int, int]):
    show(browser, f"{root}/fig.html", size)
    panels = browser.evaluate(
        "[...document.querySelectorAll('.draglayer .nsewdrag')].map((p) => p.getBoundingClientRect())"
        ".map((r) => [r.left, r.top, r.width, r.bottom])"
    )
    assert len(panels) == 3
    left, top, width, _ = panels[0]

    def spike() -> list[float] | None:
        for shift in (0, 1):
            browser.call(
                "Input.dispatchMouseEvent", type="mouseMoved", x=left + width / 3 + shift, y=top + 20
            )
        box: list[float] | None = browser.evaluate(
            "(() => { const line = document.querySelector('.spikeline'); if (!line) return null;"
            "const r = line.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })()"
        )
        return box

    wait_until(spike, "the line at the pointer")
    box = spike()
    assert box is not None
    assert box[0] == pytest.approx(left + width / 3, abs=3)
    assert box[1] <= top + 1
    assert box[3] >= panels[2][3] - 1
    time = "[...document.querySelectorAll('.hoverlayer .axistext')].map((t) => t.textContent).join()"
    assert str(START)[:10] in browser.evaluate(time)
    assert browser.evaluate("document.querySelectorAll('.hoverlayer .hovertext').length") >= 4
    assert errors(browser) == []


def test_the_line_at_the_pointer_crosses_all_columns(browser: Browser, tmp_path: Path):
    epoch = START + np.arange(100) * STEP
    tables = {name: Table(epoch, np.arange(100.0), "nT", name) for name in "abcd"}
    spec = {"panels": [["a"], ["b"], ["c"], ["d"]], "columns": 2}
    page = to_html(render_spec(tables, spec=spec), scripts="inside")
    (tmp_path / "fig.html").write_bytes(page)
    show(browser, (tmp_path / "fig.html").as_uri())
    panels = browser.evaluate(
        "[...document.querySelectorAll('.draglayer .nsewdrag')].map((p) => p.getBoundingClientRect())"
        ".map((r) => [r.left, r.top, r.width, r.bottom])"
    )
    places = sorted({(left, width) for left, _, width, _ in panels})
    assert len(places) == 2
    (first, width), (second, _) = places

    def other_line() -> list[float] | None:
        for step in (0, 1):
            x = first + width // 3 + step
            browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=panels[0][1] + 20)
        box: list[float] | None = browser.evaluate(
            "(() => { const line = document.querySelector('.pointer:not([hidden])'); if (!line) return null;"
            "const r = line.getBoundingClientRect(); return [r.left, r.top, r.bottom]; })()"
        )
        return box

    wait_until(other_line, "the line in the other column")
    box = other_line()
    assert box is not None
    assert box[0] == pytest.approx(second + width // 3, abs=3)
    assert box[1] <= min(panel[1] for panel in panels) + 1
    assert box[2] >= max(panel[3] for panel in panels) - 1
    assert errors(browser) == []


def test_a_symlog_axis_shows_values_and_keeps_labels(browser: Browser, tmp_path: Path):
    field = values(1)[:, 0] ** 3
    epoch = START + np.arange(COUNT) * STEP
    tables = {"E": Table(epoch, field, "mV/m", "E"), "S": Table(epoch, np.full(COUNT, 0.5), "mV/m", "S")}
    spec = {"log_scale": "symlog", "linthresh": 10, "line_styles": {"E": {"fill_below": -20}},
            "bands": [{"line": "E", "sigma": "S"}]}  # fmt: skip
    figure = render_spec(tables, spec=spec)
    detail = Detail(make_detail(figure.details))
    (tmp_path / "fig.html").write_bytes(to_html(figure, scripts="inside", detail=detail))
    show(browser, (tmp_path / "fig.html").as_uri())
    first, last = START + 4_000 * STEP, START + 4_099 * STEP
    zoom(browser, first, last, "E: all 100 points")
    given = field[4_000:4_100].astype(np.float64)
    scale = Symlog(10.0)
    heights = [y for _, y in in_view(browser, "p1-1", first, last)]
    np.testing.assert_allclose(heights, scale.places(given), rtol=1e-6)
    shown = browser.evaluate(
        "(() => { const t = document.getElementById('figure')._fullData.find((t) => t.uid === 'p1-1');"
        "return Array.from(t.customdata); })()"
    )
    assert {float(np.float32(value)) for value in given} <= {float(np.float32(value)) for value in shown}
    band = np.array([y for _, y in in_view(browser, "p1-1-band", first, last)])
    assert np.abs(band[:, None] - scale.places(given + 0.5)).min(axis=0).max() < 1e-5
    filled = [y for _, y in in_view(browser, "p1-1-fill_below", first, last)]
    assert not filled or max(filled) <= scale.place(-20.0) + 1e-6
    labels = "[...document.querySelectorAll('.ytick text')].map((label) => label.textContent)"
    before = browser.evaluate(labels)
    whole = json.dumps(browser.evaluate("document.getElementById('figure')._fullLayout.yaxis.range"))
    for low, high in ((2100.0, 2900.0), (-4.0, -1.0)):
        ends = json.dumps(scale.places([low, high]).tolist())
        browser.evaluate(f"Plotly.relayout('figure', {{'yaxis.range': {ends}}}).then(() => 0)")
        wait_until(lambda: len(browser.evaluate(labels)) >= 3, "labels between powers of ten")
        at = [float(text.replace("−", "-")) for text in browser.evaluate(labels)]
        assert all(low <= value <= high for value in at)
    browser.evaluate(f"Plotly.relayout('figure', {{'yaxis.range': {whole}}}).then(() => 0)")
    wait_until(lambda: browser.evaluate(labels) == before, "the labels of the whole axis")
    assert errors(browser) == []


def test_a_page_without_its_detail_says_what_is_missing(browser: Browser, folder: Path, tmp_path: Path):
    for name in ("fig.html", "helio-figure.js", "plotly.min.js"):
        shutil.copy(folder / name, tmp_path / name)
    show(browser, (tmp_path / "fig.html").as_uri())
    zoom(browser, START, START + 100 * STEP, "is missing")
    assert "fig.detail-" in line_of(browser)
    assert len(trace(browser, "p1-1")["y"]) > 1_000, "the page shows what it has"


@pytest.mark.parametrize("gone", ["helio-figure.js", "plotly.min.js"])
def test_a_page_without_its_scripts_says_what_is_missing(
    browser: Browser, folder: Path, tmp_path: Path, gone: str
):
    for name in {"fig.html", "helio-figure.js", "plotly.min.js"} - {gone}:
        shutil.copy(folder / name, tmp_path / name)
    browser.open((tmp_path / "fig.html").as_uri())
    assert f"The file {gone} is missing" in browser.shows("is missing")


def zoom_both(browser: Browser, names: str, limits: list[list[float]], words: str) -> None:
    """Show a part of an x and a y axis, and wait for words in the line below the figure."""
    change = {f"{axis}axis{names}.range": ends for axis, ends in zip("xy", limits, strict=True)}
    browser.evaluate(f"Plotly.relayout('figure', {json.dumps(change)}).then(() => 0)")
    wait_until(lambda: words in line_of(browser), f"'{words}' below the figure, not '{line_of(browser)}'")


def points_of(browser: Browser, uid: str) -> list[tuple[float, float]]:
    points = trace(browser, uid)
    return [(float(x), float(y)) for x, y in zip(points["x"], points["y"], strict=True) if y is not None]  # type: ignore[arg-type]


@pytest.mark.parametrize("place", ["inside", "beside"])
def test_every_point_of_a_cloud_an_orbit_and_a_spectrum_is_shown(
    browser: Browser, tmp_path: Path, place: str
):
    count, random = 60_000, np.random.default_rng(8)
    epoch = START + np.arange(count) * STEP
    n, v = random.lognormal(1, 0.7, count), random.normal(400, 60, count)
    turn = np.linspace(0, 40, count)
    way = np.stack([8 * np.cos(turn) + turn / 10, 6 * np.sin(turn) + turn / 10], axis=1)
    frequencies = np.geomspace(1e-3, 10, 30_000)
    power = random.lognormal(size=(1, 30_000)) * frequencies**-1.6
    tables = {
        "n": Table(epoch, n, "cm^-3", "n"),
        "v": Table(epoch, v, "km s^-1", "v"),
        "a": Table(epoch, way[:, 0], "nT", "a"),
        "b": Table(epoch, way[:, 1], "nT", "b"),
        "P": Table(
            epoch[:1], power, "nT^2/Hz", "PSD", axes=(Axis("Frequency", "Hz", frequencies, scale="log"),)
        ),
    }
    spec = {
        "labels": ["P"],
        "xy": [
            {"x": "n", "y": "v", "log_x": True, "color_by": "time"},
            {"type": "hodogram", "x": "a", "y": "b"},
        ],
    }
    figure = render_spec(tables, spec=spec)
    detail = Detail(make_detail(figure.details))
    detail.write(tmp_path / detail.folder_name("fig"))
    page = to_html(figure, scripts="inside", detail=detail, stem="fig")
    if place == "beside":
        page = to_html(figure, scripts="beside", detail=detail, stem="fig")
        (tmp_path / "helio-figure.js").write_bytes(viewer_js("plotly.min.js"))
        (tmp_path / "plotly.min.js").write_bytes(plotly_js())
    (tmp_path / "fig.html").write_bytes(page)
    show(browser, (tmp_path / "fig.html").as_uri())
    before = line_of(browser)
    assert "of 60,000 points" in before
    thinned = len(points_of(browser, "p2"))
    axes = ["xaxis", "xaxis2", "xaxis3", "yaxis2", "yaxis3"]
    code = "document.getElementById('figure')._fullLayout.%s.range"
    whole = {f"{name}.range": browser.evaluate(code % name) for name in axes}
    # A cloud, on a logarithmic x axis.
    inside = (n >= 2.0) & (n <= 2.1) & (v >= 390) & (v <= 410)
    zoom_both(
        browser, "2", [np.log10([2.0, 2.1]).tolist(), [390, 410]], f"v: all {inside.sum():,} points in view"
    )
    shown = [point for point in points_of(browser, "p2") if 2.0 <= point[0] <= 2.1 and 390 <= point[1] <= 410]
    given = {(float(np.float32(x)), float(np.float32(y))) for x, y in zip(n[inside], v[inside], strict=True)}
    assert {(float(np.float32(x)), float(np.float32(y))) for x, y in shown} == given
    facts = browser.evaluate(
        "(() => { const t = document.getElementById('figure').data.find((t) => t.uid === 'p2');"
        "return [t.marker.color.length, t.text.length, t.x.length, t.text[0], t.hovertemplate]; })()"
    )
    assert facts[0] == facts[1] == facts[2]
    assert str(facts[3]).startswith(str(START)[:8])
    assert "%{text}" in facts[4]
    # A line that goes round, in the colours of time.
    near = (way[:, 0] >= 8.0) & (way[:, 0] <= 8.6) & (way[:, 1] >= 0.0) & (way[:, 1] <= 0.6)
    zoom_both(browser, "3", [[8.0, 8.6], [0.0, 0.6]], "b: all ")
    drawn = [
        point
        for number in range(1, 49)
        if browser.evaluate(
            f"document.getElementById('figure').data.some((t) => t.uid === 'p3-line{number}')"
        )
        for point in points_of(browser, f"p3-line{number}")
    ]
    pixel = 0.6 / 200
    far = [np.hypot(*(np.array(drawn) - point).T).min() for point in way[near][::50]]
    assert max(far) < 2 * pixel
    # Every bin of a spectrum.
    bins = (frequencies >= 1.0) & (frequencies <= 1.05)
    browser.evaluate(
        f"Plotly.relayout('figure', {{'xaxis.range': {np.log10([1.0, 1.05]).tolist()}}}).then(() => 0)"
    )
    wait_until(
        lambda: f"P: all {bins.sum():,} points in view" in line_of(browser), "every bin of the spectrum"
    )
    curve = [y for x, y in points_of(browser, "p1-1") if 1.0 <= x <= 1.05]
    np.testing.assert_allclose(curve, power[0, bins], rtol=1e-6)
    browser.evaluate(f"Plotly.relayout('figure', {json.dumps(whole)}).then(() => 0)")
    wait_until(lambda: line_of(browser) == before, f"'{before}', not '{line_of(browser)}'")
    assert len(points_of(browser, "p2")) == thinned
    assert errors(browser) == []
