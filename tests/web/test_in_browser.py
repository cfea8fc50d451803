"""The gallery in a real browser: from a disk and from a server, narrow and wide, with the keyboard alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helio.web.build import build
from helio.web.site import Site
from tests.flows.browser import CHROMIUM, Browser, chromium
from tests.waiting import wait_until
from tests.web.homes import NOW, usual_home

pytestmark = [
    pytest.mark.browser,
    pytest.mark.process,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium"),
]

PAGES = ("index.html", "ace-field/index.html", "ace-field/2024-05-10.html", "ace-field/2024-05-11.html")
PHONE, DESK = (390, 844), (1280, 900)


class Quiet(SimpleHTTPRequestHandler):
    """A web server that knows nothing about galleries, and says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gallery")
    build(Site(usual_home(folder / "home"), now=lambda: NOW), folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as browser:
        browser.call("Network.enable")
        yield browser


@pytest.fixture(scope="module", params=["file", "http"])
def root(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    if request.param == "file":
        yield folder.as_uri()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def show(browser: Browser, address: str, size: tuple[int, int]) -> None:
    """Open a page in a window of a size, and wait until all of it is there."""
    browser.call(
        "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False
    )
    browser.open(address)
    loaded = "document.readyState === 'complete' && location.href"
    wait_until(lambda: browser.evaluate(loaded) == address, f"the page {address}")


def press(browser: Browser, key: str) -> None:
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("page", PAGES)
def test_pages_fit_and_load_without_errors_and_ask_nobody_else(
    browser: Browser, root: str, page: str, size: tuple[int, int]
):
    browser.reports.clear()
    browser.requests.clear()
    show(browser, f"{root}/{page}", size)
    assert browser.evaluate("document.documentElement.scrollWidth") <= size[0]
    pictures = "[...document.images].map(i => [i.loading = 'eager', i.decode()]).length"
    assert browser.evaluate(pictures) == (
        0 if page.endswith("11.html") else browser.evaluate("document.images.length")
    )
    whole = "Promise.all([...document.images].map(i => i.decode())).then(() => true)"
    assert browser.evaluate(whole)
    assert browser.reports == []
    # a request of the page before can be reported late
    asked = [url for page, url in browser.requests if page.startswith(root)]
    assert [url for url in asked if not url.startswith((root, "data:", "about:"))] == []
    assert len(asked) >= 3  # the page, its style and its script


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_arrows_turn_to_the_figures_before_and_after(browser: Browser, root: str, size: tuple[int, int]):
    show(browser, f"{root}/ace-field/2024-05-09.html", size)
    for key, day in (("ArrowRight", "10"), ("ArrowLeft", "09"), ("ArrowLeft", "08")):
        press(browser, key)
        wait_until(
            lambda day=day: browser.address.endswith(f"2024-05-{day}.html"), f"the figure of day {day}"
        )
        wait_until(lambda: browser.evaluate("document.readyState") == "complete", "the whole page")
    press(browser, "u")
    wait_until(lambda: browser.address.endswith("ace-field/2024-05.html"), "the month")
    wait_until(lambda: browser.evaluate("document.readyState") == "complete", "the whole page")
    press(browser, "ArrowLeft")
    wait_until(lambda: browser.address.endswith("ace-field/2024-04.html"), "the month before")


def test_a_key_with_alt_stays_a_key_of_the_browser(browser: Browser, root: str):
    show(browser, f"{root}/ace-field/2024-05-09.html", DESK)
    code = "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', altKey: true, cancelable: true}))"
    assert browser.evaluate(code) is True  # nobody has prevented what the browser does
    assert browser.address.endswith("2024-05-09.html")


def test_the_tab_key_reaches_every_link_in_the_order_of_the_page(browser: Browser, root: str):
    show(browser, f"{root}/index.html", DESK)
    links = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"
    expected = browser.evaluate(links)
    reached = []
    for _ in expected:
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(browser.evaluate("document.activeElement.getAttribute('href')"))
    assert reached == expected


def test_the_interactive_figure_is_drawn(browser: Browser, root: str):
    show(browser, f"{root}/swpc-now/2024-05-10.html", DESK)
    drawn = "frames.length === 1 && document.querySelector('iframe').getBoundingClientRect().height > 500"
    wait_until(lambda: browser.evaluate(drawn), "the frame of the figure")
    address = browser.evaluate("document.querySelector('iframe').src")
    show(browser, address, DESK)
    wait_until(lambda: browser.evaluate("Boolean(document.querySelector('#figure .main-svg'))"), "the figure")


def test_names_of_headings_and_pictures_are_those_of_a_screen_reader(browser: Browser, root: str):
    show(browser, f"{root}/ace-field/2024-05-10.html", DESK)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    names = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    ]
    assert [name for role, name in names if role == "image"] == [
        "Magnetic field. Panels from top to bottom: AC_H2_MFI.BGSEc; magnitude."
    ]
    assert ("main", "") in names
    assert ("link", "Next: 2024-05-11") in names
    headings = [name for role, name in names if role == "heading"]
    assert headings[0] == "ACE field 2024-05-10 day 131"


def test_the_pages_are_dark_where_the_system_is(browser: Browser, root: str):
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        show(browser, f"{root}/index.html", DESK)
        assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"
    finally:
        browser.call("Emulation.setEmulatedMedia", features=[])
