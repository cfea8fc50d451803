"""Write figures so that the bytes are always the same: JSON and HTML directly, PNG, PDF and SVG with Chromium."""

from __future__ import annotations

import hashlib
import html
import json
import logging
import os
import re
import shutil
import threading
import warnings
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from helio.errors import ExportError
from helio.steps.render.detail import LINE, Detail, isolated_trace
from helio.steps.render.figure import Figure
from helio.steps.render.themes import plotly_file

PLOTLY_JS_NAME = "plotly.min.js"
VIEWER_NAME = "helio-figure.js"
INSTALL_ADVICE = (
    "run `helio doctor --fix`, which looks for a way to get one; or, by hand, run apt-get install chromium as root, or "
    "set BROWSER_PATH to a Chromium"
)
_NAMED_WRONGLY = "set BROWSER_PATH to a Chromium, or unset it and run `helio doctor --fix`"
BROWSER_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chrome-headless-shell",
    "Google Chrome for Testing",  # kaleido's download on macOS
)

_DRAWING = "<script>\nconst figure = "
"""Beginning of the script that draws a page; no text of a figure can contain it."""

Result = TypeVar("Result")
Format = Literal["png", "pdf", "svg"]


def to_json(figure: Figure) -> bytes:
    """Return the plotly document as UTF-8 JSON."""
    return json.dumps(figure.document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def plotly_js() -> bytes:
    """Return the code of plotly.js, for the file ``plotly.min.js`` that the pages of a tree of folders share."""
    return plotly_file(PLOTLY_JS_NAME).read_bytes()


def viewer_js(library: str) -> bytes:
    """Return the code that draws a page, for the file ``helio-figure.js`` in the folder of the page.

    Parameters
    ----------
    library : str
        Address of ``plotly.min.js``, relative to that folder.
    """
    return f"window.helioLibrary = {json.dumps(library)};\n".encode() + _viewer()


def _viewer() -> bytes:
    return Path(__file__).with_name("figure.js").read_bytes()


def to_html(
    figure: Figure,
    *,
    scripts: Literal["inside", "beside"],
    detail: Detail | None = None,
    stem: str = "figure",
) -> bytes:
    """Return an HTML page with the figure, which readers can zoom without a network connection.

    Parameters
    ----------
    figure : Figure
    scripts : "inside" or "beside"
        Whether the code and the detail are in the page (5 MB and more), or in files beside it.
    detail : Detail, optional
        All points of the figure.
    stem : str
        Name of the page without its ending, after which the folder of the detail is called.
    """
    layout = dict(figure.document["layout"])
    height, width = layout["height"], layout.pop("width")
    # The page is as wide as its window up to twice the figure; the height keeps the portrait.
    layout |= {"autosize": True, **_crosshair(layout)}
    document = {"data": figure.document["data"], "layout": layout}
    counts = below = shown = ""
    if detail is not None and detail.panels:
        document["data"] = _with_isolated(document["data"], detail)
        document["detail"] = {"folder": detail.folder_name(stem), "panels": detail.panels}
        shown = " · ".join(text for panel in detail.panels for text in panel["shown"])
    elif "drawn" in layout.get("meta", {}):
        shown = f"This page holds only the drawn points: {layout['meta']['drawn']}"
    if shown:
        look = f"color: #777; font: 11px/16px sans-serif; margin: 0 12px {LINE - 16}px; text-align: center;"
        below = f"#drawn {{ {look} }}\n"
        counts = f'<p id="drawn">{html.escape(shown)}</p>\n'
    background = layout.get("paper_bgcolor") or layout.get("template", {}).get("layout", {}).get(
        "paper_bgcolor", "white"
    )
    payload = _script_safe(json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    # The style is first, where the gallery finds the height of the page without reading all of it.
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<style>
body {{ margin: 0; background: {html.escape(background)}; }}
#figure {{ max-width: {2 * width}px; min-width: {min(width, 560)}px; height: {height}px; margin: 0 auto; }}
p {{ font-family: sans-serif; margin: 2em; }}
{below}</style>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(plain_title(figure))}</title>
{_loading(VIEWER_NAME)}
</head>
<body>
<div id="figure"></div>
{counts}<noscript><p>This figure is drawn by JavaScript, which is switched off.</p></noscript>
{_DRAWING}{payload};
if (window.helioFigure) {{
  helioFigure(figure);
}} else {{
  document.getElementById("figure").innerHTML =
    "<p>The file {VIEWER_NAME} is missing: it belongs in the same folder as this page.</p>";
}}
</script>
</body>
</html>
"""
    return (with_scripts_inside(page, detail) if scripts == "inside" else page).encode()


def _with_isolated(data: list[dict[str, Any]], detail: Detail) -> list[dict[str, Any]]:
    """Return traces with one for the isolated points of each line: with more points, more of them are isolated."""
    known = {trace.get("uid") for trace in data}
    traces = []
    for trace in data:
        traces.append(trace)
        uid = f"{trace.get('uid')}-alone"
        is_refined = any(
            trace.get("uid") == line["uid"] for panel in detail.panels for line in panel["traces"]
        )
        if is_refined and trace["type"] == "scatter" and trace["mode"] == "lines" and uid not in known:
            traces.append(isolated_trace(trace, [], []))
    return traces


def with_scripts_inside(page: str, detail: Detail | None) -> str:
    """Return a page with all its code, and its detail, in it. Pages of earlier versions load plotly.js directly."""
    code = "".join(
        "<script>" + script.decode().replace("</script", "<\\/script") + "</script>\n"
        for script in (plotly_js(), _viewer())
    )
    for name in (VIEWER_NAME, PLOTLY_JS_NAME):
        page = page.replace(_loading(name), code, 1)
    elements = "" if detail is None else "".join(detail.elements())
    return page.replace(_DRAWING, elements + _DRAWING, 1)


def loads_scripts(page: bytes) -> bool:
    """Return whether a page loads its scripts from files."""
    return any(_loading(name).encode() in page for name in (VIEWER_NAME, PLOTLY_JS_NAME))


def _loading(name: str) -> str:
    return f'<script src="{name}" charset="utf-8"></script>'


def _crosshair(layout: Mapping[str, Any]) -> dict[str, Any]:
    """Return the time axes of a layout with a line at the pointer, across all panels with this axis."""
    line = {
        "showspikes": True, "spikemode": "across", "spikesnap": "cursor", "spikethickness": 1,
        "spikedash": "solid", "spikecolor": "#888888",
    }  # fmt: skip
    axes = {
        name: axis | line
        for name, axis in layout.items()
        if name.startswith("xaxis") and axis.get("type") == "date"
    }
    return axes | {"hoversubplots": "axis", "spikedistance": -1} if axes else {}


def find_browser(environ: Mapping[str, str]) -> Path | None:
    """Return the browser that draws figures: the program in BROWSER_PATH, else a Chromium or Chrome on PATH, else None.

    Raises
    ------
    ExportError
        When BROWSER_PATH does not name a program; PATH is then not searched.
    """
    named = environ.get("BROWSER_PATH")
    if named:
        browser = Path(named)
        if not browser.is_file():
            raise ExportError(f"there is no browser at {browser}", advice=_NAMED_WRONGLY)
        if not os.access(browser, os.X_OK):
            raise ExportError(f"the browser at {browser} is not executable", advice=_NAMED_WRONGLY)
        return browser
    for name in BROWSER_NAMES:
        program = shutil.which(name, path=environ.get("PATH", ""))
        if program:
            return Path(program)
    return None


class StaticRenderer:
    """A Chromium process that draws static figures, one at a time; it starts when the first figure is drawn.

    Parameters
    ----------
    browser : Path or None
        The program that `find_browser` returned.
    time_limit : float
        Seconds for one figure, and for the start of the browser.
    """

    def __init__(self, *, browser: Path | None, time_limit: float = 60) -> None:
        self.browser = browser
        self.time_limit = time_limit
        # Answers of a shared Chromium have been seen to reach another caller: one figure at a time.
        self._lock = threading.Lock()
        self._session: _Session | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._stop()

    def render(self, figure: Figure, format: Format, *, scale: float = 2) -> bytes:
        """Draw a figure as PNG, PDF or SVG.

        Parameters
        ----------
        figure : Figure
        format : "png", "pdf" or "svg"
        scale : float
            Pixels of a PNG per pixel of the figure.

        Raises
        ------
        ExportError
            Without a browser, when the browser failed twice, or when plotly.js refuses the figure.
        """
        if self.browser is None:
            raise ExportError("no Chromium was found to draw PNG, PDF or SVG figures", advice=INSTALL_ADVICE)
        options = {
            "format": format,
            "scale": scale if format == "png" else 1,
            "width": figure.document["layout"]["width"],
            "height": figure.document["layout"]["height"],
        }
        with self._lock:
            try:
                drawn = self._drawn(figure.document, options)
            except _BrowserError:
                # A browser may die or hang once, for want of memory; one that does so again is not to be had.
                try:
                    drawn = self._drawn(figure.document, options)
                except _BrowserError as again:
                    raise ExportError(
                        f"{self.browser} could not draw the figure: {again}", advice=INSTALL_ADVICE
                    ) from again
        return _steady(drawn, format, to_json(figure))

    def _drawn(self, document: dict[str, Any], options: dict[str, Any]) -> bytes:
        if self._session is None:
            self._session = _Session(str(self.browser), self.time_limit)
        try:
            return self._session.draw(document, options)
        except _BrowserError:
            self._stop()
            raise

    def _stop(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()


class _BrowserError(Exception):
    """The error if the browser does not start, does not answer in time, or refuses the figure."""


async def keep_page(kaleido: Any) -> Callable[[], Coroutine[Any, Any, Any]]:
    """Let an open renderer of Kaleido keep its page: it would read plotly.js again after every figure.

    Returns
    -------
    coroutine function
        Reloads the page.
    """

    async def stay() -> None:
        """Stand in for the reloading of the page."""

    tab = await kaleido.tabs_ready.get()
    reload: Callable[[], Coroutine[Any, Any, Any]] = tab.reload
    tab.reload = stay
    await kaleido.tabs_ready.put(tab)
    return reload


class _Session:
    """A Chromium process with an event loop in a thread of its own, so that any caller can wait for a figure."""

    def __init__(self, browser: str, time_limit: float) -> None:
        self._time_limit = time_limit
        self._browser = browser
        self._kaleido: Any = None
        self._reload: Callable[[], Coroutine[Any, Any, Any]]
        import asyncio  # with kaleido: a run without static figures needs neither

        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chromium", daemon=True)
        self._thread.start()

    def draw(self, document: dict[str, Any], options: dict[str, Any]) -> bytes:
        if self._kaleido is None:
            self._wait(self._open())
        return self._wait(self._draw(document, options))

    def close(self) -> None:
        try:
            if self._kaleido is not None:
                self._wait(self._kaleido.close())
        except _BrowserError as error:
            logging.getLogger(__name__).debug("closing Chromium: %s", error)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(self._time_limit)
            if not self._thread.is_alive():
                self._loop.close()

    async def _open(self) -> None:
        from choreographer.errors import TmpDirWarning
        from kaleido import Kaleido

        # Chromium's own log, and a temporary folder it still writes to while that is deleted, are not news.
        for name in ("choreographer", "kaleido", "browser_proc"):
            logging.getLogger(name).addHandler(logging.NullHandler())
        warnings.filterwarnings("ignore", category=TmpDirWarning)

        browser = Kaleido(
            n=1,
            timeout=self._time_limit,
            path=self._browser,
            plotlyjs=plotly_file(PLOTLY_JS_NAME).as_uri(),
            mathjax=False,
        )
        self._kaleido = browser
        await browser.open()
        self._reload = await keep_page(browser)

    async def _draw(self, document: dict[str, Any], options: dict[str, Any]) -> bytes:
        from kaleido.errors import KaleidoError

        try:
            drawn: bytes = await self._kaleido.calc_fig(document, opts=options)
        except KaleidoError:  # the figure may have left something in the page
            await self._reload()
            raise
        return drawn

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        import asyncio
        from concurrent.futures import TimeoutError as FutureTimeout

        from choreographer.errors import DevtoolsProtocolError
        from kaleido.errors import KaleidoError

        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(self._time_limit)
        except FutureTimeout as error:
            future.cancel()
            raise _BrowserError(f"the browser did not answer within {self._time_limit:g} s") from error
        except KaleidoError as error:
            # the browser is well, and would say the same again
            raise ExportError(f"plotly.js could not draw the figure: {error}") from error
        except (DevtoolsProtocolError, OSError, RuntimeError, ValueError, asyncio.CancelledError) as error:
            raise _BrowserError(f"{type(error).__name__}: {error}") from error


def _steady(drawn: bytes, format: Format, document: bytes) -> bytes:
    """Replace random ids and dates that the browser has written, so that equal figures have equal bytes."""
    if format == "svg":
        name = "h" + hashlib.sha256(document).hexdigest()[:8]
        match = re.search(rb'id="(?:top)?defs-([0-9a-f]+)"', drawn)
        return drawn.replace(match.group(1), name.encode()) if match else drawn
    if format == "pdf":
        return re.sub(rb"/(CreationDate|ModDate) \(D:[^)]*\)", _fixed_date, drawn)
    return drawn


def _fixed_date(match: re.Match[bytes]) -> bytes:
    # Same length: a PDF's table of contents counts bytes.
    head, tail = match.group(0).split(b"(D:")
    return head + b"(D:" + b"20000101000000+00'00')".rjust(len(tail), b"0")[-len(tail) :]


def _script_safe(text: str) -> str:
    return text.replace("</", "<\\/").replace("<!--", "<\\u0021--")


def plain_title(figure: Figure) -> str:
    """Return the title of a figure as one line without tags."""
    text = re.sub(r"<br\s*/?>", " · ", str(figure.document["layout"].get("title", {}).get("text", "figure")))
    return html.unescape(re.sub(r"</?(?:a|b|em|i|s|span|strong|sub|sup|u)(?:\s[^>]*)?>", "", text))
