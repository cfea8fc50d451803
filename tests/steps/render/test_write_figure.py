"""Figures as files, the same bytes in every process, time zone and order of hashing."""

import asyncio
import json
import os
import re
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import plotly.io
import pytest
from kaleido import Kaleido

from helio.errors import ExportError
from helio.steps.render.figure import Figure
from helio.steps.render.render_spec import render_spec
from helio.steps.render.write_figure import (
    StaticRenderer,
    find_browser,
    keep_page,
    plotly_js,
    to_html,
    to_json,
    viewer_js,
)
from tests.steps.series import spectrum, vector

BROWSER = find_browser(os.environ)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium: BROWSER_PATH unset, none on PATH")

DRAW = """
import hashlib, os, sys
from helio.steps.render.write_figure import StaticRenderer, find_browser, to_html, to_json
from tests.steps.render.test_write_figure import drawn
figure = drawn()
files = {"json": to_json(figure)}
files |= {how: to_html(figure, scripts=how) for how in ("inside", "beside")}
if sys.argv[1] == "static":
    with StaticRenderer(browser=find_browser(os.environ)) as renderer:
        files |= {kind: renderer.render(figure, kind) for kind in ("png", "svg", "pdf")}
print({name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())})
"""


def drawn():
    """Lines with jittered times, a spectrum with a gap, a mark."""
    field = vector()
    field = replace(field, epoch=field.epoch + np.arange(10) % 3 * np.timedelta64(1_234_567, "ns"))
    spec = {"title": "</script> & <Overview>", "vlines": [{"x": "2024-05-10T00:05", "label": "shock"}]}
    return render_spec({"B": field, "flux": spectrum()}, spec=spec)


def in_a_process(what, zone, seed):
    environ = {**os.environ, "TZ": zone, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", DRAW, what],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "", "a browser's log is nobody's news"
    return done.stdout


@pytest.mark.slow
def test_json_and_html_are_the_same_in_every_process():
    assert in_a_process("text", "Asia/Tokyo", "1") == in_a_process("text", "America/New_York", "2")


@needs_browser
@pytest.mark.browser
def test_png_svg_and_pdf_are_the_same_in_every_process():
    assert in_a_process("static", "Asia/Tokyo", "1") == in_a_process("static", "America/New_York", "2")


def test_json_is_read_by_plotly():
    figure = plotly.io.from_json(to_json(drawn()).decode())
    assert [trace.type for trace in figure.data] == ["scatter"] * 3 + ["heatmap"]


def test_a_page_says_what_it_is_and_asks_nobody():
    page = to_html(drawn(), scripts="beside").decode()
    assert '<html lang="en">' in page
    assert '<meta name="viewport"' in page
    assert "<title>&lt;/script&gt; &amp; &lt;Overview&gt;</title>" in page
    assert "http" not in page
    viewer = viewer_js("plotly.min.js").decode()
    assert "http" not in viewer
    assert "showSendToCloud: false" in viewer, "plotly.js 4 offers to upload the figure otherwise"
    assert page.count("</script>") == 2, "a title closes no script"
    assert "belongs in the same folder" in page
    assert 'src="helio-figure.js"' in page


def test_panels_over_time_share_a_line_at_the_pointer():
    page = to_html(drawn(), scripts="beside").decode()
    layout = json.loads(re.search(r"const figure = (.*);\n", page).group(1).replace("<\\/", "</"))["layout"]
    axis = layout["xaxis"]
    assert (axis["showspikes"], axis["spikemode"], layout["hoversubplots"]) == (True, "across", "axis")
    assert "showspikes" not in drawn().document["layout"]["xaxis"], "pictures and JSON stay as they are"


def test_a_page_is_as_wide_as_its_window_and_keeps_its_height():
    page = to_html(drawn(), scripts="beside").decode()
    layout = json.loads(re.search(r"const figure = (.*);\n", page).group(1).replace("<\\/", "</"))["layout"]
    assert layout["autosize"] is True
    assert "width" not in layout
    assert f"height: {layout['height']}px" in page


def test_the_library_is_in_the_page_or_beside_it():
    library = plotly_js()
    assert len(library) > 1_000_000
    inside, beside = (len(to_html(drawn(), scripts=how)) for how in ("inside", "beside"))
    assert inside - beside == pytest.approx(len(library) + len(viewer_js("")), abs=1000)
    assert b"</script" not in library, "the library can stand in a page"


def test_writing_a_page_leaves_the_figure_as_it_was():
    figure = drawn()
    before = to_json(figure)
    to_html(figure, scripts="beside")
    assert to_json(figure) == before


def test_without_a_browser_the_error_says_what_installs_one():
    with StaticRenderer(browser=None) as renderer, pytest.raises(ExportError) as found:
        renderer.render(drawn(), "png")
    assert "apt-get install chromium" in found.value.advice
    assert "BROWSER_PATH" in found.value.advice
    assert "\n" not in found.value.advice


def test_a_browser_path_that_names_nothing_is_said_at_once(tmp_path: Path):
    with pytest.raises(ExportError, match="there is no browser at") as found:
        find_browser({"BROWSER_PATH": str(tmp_path / "chromium"), "PATH": os.environ["PATH"]})
    assert found.value.advice.startswith("set BROWSER_PATH to a Chromium")
    assert "helio doctor --fix" in found.value.advice


def test_a_browser_path_that_names_no_program_is_said(tmp_path: Path):
    (tmp_path / "chromium").write_text("a note")
    (tmp_path / "chromium").chmod(stat.S_IRUSR)
    for path, message in ((tmp_path / "chromium", "is not executable"), (tmp_path, "there is no browser")):
        with pytest.raises(ExportError, match=message):
            find_browser({"BROWSER_PATH": str(path)})


def test_a_browser_that_is_gone_by_the_time_it_draws_is_an_export_error(tmp_path: Path):
    with (
        StaticRenderer(browser=tmp_path / "chromium", time_limit=10) as renderer,
        pytest.raises(ExportError, match="could not draw the figure"),
    ):
        renderer.render(drawn(), "png")


@needs_browser
@pytest.mark.browser
def test_a_figure_that_plotly_js_refuses_is_an_export_error_and_the_next_one_is_drawn():
    layout = drawn().document["layout"]
    broken = Figure({"data": [None], "layout": layout})
    with StaticRenderer(browser=BROWSER) as renderer:
        with pytest.raises(ExportError, match=r"plotly\.js could not draw the figure"):
            renderer.render(broken, "png")
        session = renderer._session
        assert renderer.render(drawn(), "png").startswith(b"\x89PNG")
        assert renderer._session is session, "the browser was well and went on"


def test_browser_path_comes_before_the_path(tmp_path: Path):
    for name in ("mine", "chromium"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(stat.S_IRWXU)
    assert find_browser({"BROWSER_PATH": str(tmp_path / "mine"), "PATH": str(tmp_path)}) == tmp_path / "mine"
    assert find_browser({"PATH": str(tmp_path)}) == tmp_path / "chromium"
    assert find_browser({"PATH": ""}) is None


@pytest.mark.slow
def test_a_program_that_is_no_browser_is_given_up(tmp_path: Path):
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\nexit 1\n")
    browser.chmod(stat.S_IRWXU)
    with (
        StaticRenderer(browser=browser, time_limit=10) as renderer,
        pytest.raises(ExportError, match="could not draw"),
    ):
        renderer.render(drawn(), "png")


@needs_browser
@pytest.mark.browser
def test_a_browser_that_died_is_started_again():
    figure = drawn()
    with StaticRenderer(browser=BROWSER) as renderer:
        first = renderer.render(figure, "png")
        renderer._session._kaleido.subprocess.kill()
        renderer._session._kaleido.subprocess.wait()
        assert renderer.render(figure, "png") == first


@needs_browser
@pytest.mark.browser
def test_every_caller_gets_its_own_figure():
    sizes = {}

    def draw(renderer, width):
        layout = drawn().document["layout"] | {"width": width}
        png = renderer.render(Figure({"data": [], "layout": layout}), "png", scale=1)
        sizes[width] = int.from_bytes(png[16:20])

    with StaticRenderer(browser=BROWSER) as renderer:
        threads = [threading.Thread(target=draw, args=(renderer, width)) for width in range(400, 480, 10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sizes == {width: width for width in range(400, 480, 10)}


@needs_browser
@pytest.mark.browser
def test_formats_are_what_they_say_and_fetch_nothing():
    with StaticRenderer(browser=BROWSER) as renderer:
        png, svg, pdf = (renderer.render(drawn(), kind) for kind in ("png", "svg", "pdf"))
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == 2 * drawn().document["layout"]["width"]
    assert svg.startswith(b"<svg")
    assert b"https:" not in svg
    assert pdf.startswith(b"%PDF")
    assert re.findall(rb"/(?:CreationDate|ModDate) \(D:(\d{4})", pdf) == [b"2000", b"2000"]


@pytest.mark.browser
@needs_browser
def test_a_figure_has_the_same_bytes_first_and_after_another_one():
    figure, other = drawn(), render_spec({"B": vector()}, spec={})
    with StaticRenderer(browser=BROWSER) as renderer:
        for kind in ("png", "svg"):
            first = renderer.render(figure, kind)
            renderer.render(other, kind)
            assert renderer.render(figure, kind) == first


class Tab:
    """A page of Kaleido that draws nothing and counts how often it is loaded again."""

    def __init__(self):
        self.tab = SimpleNamespace(target_id="page")
        self.loaded = 0

    async def _calc_fig(self, spec, **options):
        return b"figure"

    async def reload(self):
        self.loaded += 1


@pytest.mark.parametrize("kept", [True, False])
def test_the_page_stays_loaded_between_figures(kept: bool, tmp_path: Path):
    """Kaleido itself loads the page again after every figure; a version that does so in another way fails here."""
    program = tmp_path / "chromium"
    program.touch()

    async def times_loaded():
        kaleido, tab = Kaleido(path=str(program)), Tab()
        kaleido._total_tabs = 1
        await kaleido.tabs_ready.put(tab)
        reload = await keep_page(kaleido) if kept else tab.reload
        for _ in range(2):
            assert await kaleido.calc_fig(drawn().document, opts={"format": "png"}) == b"figure"
        before = tab.loaded
        await reload()
        assert tab.loaded == before + 1
        return before

    assert asyncio.run(times_loaded()) == (0 if kept else 2)


@needs_browser
@pytest.mark.browser
def test_the_browser_loads_its_page_once_for_all_figures():
    async def time_of_loading(kaleido):
        tab = await kaleido.tabs_ready.get()
        await kaleido.tabs_ready.put(tab)
        answer = await tab.tab.send_command("Runtime.evaluate", {"expression": "performance.timeOrigin"})
        return answer["result"]["result"]["value"]

    with StaticRenderer(browser=BROWSER) as renderer:
        loaded = []
        for _ in range(2):
            renderer.render(drawn(), "png")
            loaded.append(renderer._session._wait(time_of_loading(renderer._session._kaleido)))
    assert loaded[0] == loaded[1]
