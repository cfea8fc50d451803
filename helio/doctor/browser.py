"""Look for the browser that draws PNG, PDF and SVG, try it, and install one, for ``helio doctor --fix``."""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helio.errors import ExportError
from helio.pipelines.runs.artefacts import own_browser
from helio.settings import Settings
from helio.steps.render.write_figure import find_browser
from helio.store.files import unwritable

NPM_PACKAGE = "@sparticuz/chromium@143.0.4"
_BUILDS = {
    ("Linux", "x86_64"): ("linux64", "chrome-linux64/chrome"),
    ("Darwin", "x86_64"): ("mac-x64", "chrome-mac-x64/"),
    ("Darwin", "arm64"): ("mac-arm64", "chrome-mac-arm64/"),
}
_MAC_PROGRAM = "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing"
_LIBRARIES = ("libnss3.so", "libatk-1.0.so.0", "libgbm.so.1", "libasound.so.2")
_DOWNLOAD = "import sys, kaleido; print(kaleido.get_chrome_sync(path=sys.argv[1]))"
_UNPACK = (
    'const fs = require("fs"), zlib = require("zlib"), [from, to] = process.argv.slice(1);'
    " for (const name of fs.readdirSync(from))"
    ' fs.writeFileSync(to + "/" + name.replace(/\\.br$/, ""),'
    ' zlib.brotliDecompressSync(fs.readFileSync(from + "/" + name)))'
)
_TELLING = ("reason:", "error while loading", " 404 ", "Failed to fetch", "Could not get lock")
"""Words in the line that names the cause, which later lines hide."""
_START = """#!/bin/sh
here=$(CDPATH= cd "${{0%/*}}" && pwd)
{further}exec "$here/program/{program}" "$@"
"""
_OWN_LIBRARIES = """export LD_LIBRARY_PATH="$here/program/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$here/program/fonts.conf"
"""
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""


@dataclass(frozen=True)
class Limits:
    """Time limits of one way to install a browser, in seconds."""

    command: float
    """Longest time for one command."""
    silence: float
    """Longest time in which a download brings nothing."""
    trial: float
    """Longest time for the browser to start, and to draw a figure."""


USUAL = Limits(command=900, silence=60, trial=60)
QUICK = Limits(command=120, silence=15, trial=30)


@dataclass(frozen=True)
class Command:
    """A command that is part of a way to install a browser."""

    words: tuple[str, ...]
    is_download: bool = True
    """Whether helio may end it at any time, without harm to the system."""
    fills_folder: bool = True
    """Whether everything that it downloads goes into helio's home, so that helio sees whether it progresses."""

    def __str__(self) -> str:
        """Return the command as a user would type it."""
        return shlex.join(self.words)


@dataclass(frozen=True)
class Way:
    """A way to get a browser on this machine."""

    name: str
    obstacle: str
    """Why this machine cannot use it; empty if it can."""
    commands: tuple[Command, ...]
    starts: Callable[[Path], Iterator[str]] | None
    """Prepares the downloaded browser in a folder, and yields the scripts that may start it, in the order to try;
    None for a browser that the system installs."""


BY_HAND = (
    "as root, run apt-get install chromium; or copy the folder of a Chromium or Chrome from a machine with a network, "
    "and set BROWSER_PATH to its program. HTML and JSON figures need no browser"
)


def try_browser(browser: Path, limits: Limits = USUAL) -> None:
    """Draw a small figure with and without text, and compare both.

    Raises
    ------
    ExportError
        The browser does not start, does not draw, or draws no text.
    """
    from helio.steps.render.figure import Figure
    from helio.steps.render.write_figure import StaticRenderer

    try:
        asked = subprocess.run(
            [str(browser), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limits.trial,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ExportError(f"{browser} did not say its version within {limits.trial:g} s") from error
    except OSError as error:
        raise ExportError(f"{browser} does not start: {error.strerror}") from error
    if asked.returncode:
        said = _reason(asked.stderr + "\n" + asked.stdout) or f"it ended with code {asked.returncode}"
        raise ExportError(f"{browser} does not start: {said}")
    axis = {"visible": False}
    notes = [{"text": text, "x": 0.5, "y": 0.5, "showarrow": False} for text in ("", "Mg")]
    layouts = [
        {"width": 120, "height": 80, "xaxis": axis, "yaxis": axis, "annotations": [note]} for note in notes
    ]
    try:
        with StaticRenderer(browser=browser, time_limit=limits.trial) as renderer:
            drawn = [
                renderer.render(Figure({"data": [], "layout": layout}), "png", scale=1) for layout in layouts
            ]
    except ExportError as error:
        raise ExportError(error.message) from error  # its advice is to run this
    if drawn[0] == drawn[1]:
        raise ExportError(
            f"{browser} draws no text: there are no fonts",
            advice="install fonts, for example with apt-get install fonts-dejavu-core",
        )


def ways_to_get(settings: Settings, *, quick: bool) -> list[Way]:
    """List the ways to get a browser, in the order to try, with what prevents each on this machine.

    Parameters
    ----------
    quick : bool
        Whether to leave out ways that need root.
    """
    folder = _staging(settings.home)
    return [_debian(settings, quick), _chrome(settings, folder), _npm(settings, folder)]


def _debian(settings: Settings, quick: bool) -> Way:
    apt = shutil.which("apt-get", path=settings.path)
    if apt is None:
        obstacle = "this system has no apt-get"
    elif quick:
        obstacle = "it changes the system, which --quick never does"
    elif os.geteuid() != 0:
        obstacle = "it needs root"
    else:
        obstacle = ""
    patience = ("-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=15", "-o", "DPkg::Lock::Timeout=30")
    install = (apt or "apt-get", "install", "--yes", "--no-install-recommends", *patience)
    return Way(
        "the Debian or Ubuntu package chromium",
        obstacle,
        (
            Command((apt or "apt-get", "update", *patience), fills_folder=False),
            Command((*install, "--download-only", "chromium"), fills_folder=False),
            # ending dpkg halfway would leave packages that are half installed
            Command((*install, "--no-download", "chromium"), is_download=False, fills_folder=False),
        ),
        None,
    )


def _chrome(settings: Settings, folder: Path) -> Way:
    system, machine = platform.system(), platform.machine()
    build, program = _BUILDS.get((system, machine), ("", ""))
    if not build:
        obstacle = f"there is no Chrome for Testing for {system} on {machine}"
    elif system == "Linux" and (lacking := _lacking_libraries()):
        obstacle = f"Chrome needs libraries that this system lacks: {', '.join(lacking)}"
    else:
        obstacle = _lacks_space(settings.home, 800)
    if program.endswith("/"):
        program += _MAC_PROGRAM

    def starts(folder: Path) -> Iterator[str]:
        yield _START.format(further="", program=program)

    return Way(
        "the download of kaleido, Google's Chrome for Testing (about 170 MB)",
        obstacle,
        (Command((sys.executable, "-P", "-c", _DOWNLOAD, str(folder / "program"))),),
        starts,
    )


def _npm(settings: Settings, folder: Path) -> Way:
    system, machine = platform.system(), platform.machine()
    npm, node = (shutil.which(name, path=settings.path) for name in ("npm", "node"))
    if (system, machine) != ("Linux", "x86_64"):
        obstacle = f"the package has no program for {system} on {machine}"
    elif npm is None or node is None:
        obstacle = "this system has no npm"
    else:
        obstacle = _lacks_space(settings.home, 600)
    package = folder / "npm"
    options = ("--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--logs-max=0")
    patience = ("--fetch-retries=0", "--fetch-timeout=15000")
    place = ("--prefix", str(package), "--cache", str(folder / "cache"))
    return Way(
        f"the npm package {NPM_PACKAGE} (about 70 MB)",
        obstacle,
        (
            Command((npm or "npm", "install", *place, *options, *patience, NPM_PACKAGE)),
            Command(
                (
                    node or "node",
                    "-e",
                    _UNPACK,
                    str(package / "node_modules" / "@sparticuz" / "chromium" / "bin"),
                    str(folder / "program"),
                )
            ),
        ),
        _unpacked_npm,
    )


def _unpacked_npm(folder: Path) -> Iterator[str]:
    program = folder / "program"
    for name, target in (("swiftshader", program), ("al2023", program / "lib"), ("fonts", program / "fonts")):
        target.mkdir(exist_ok=True)
        archive = program / f"{name}.tar"
        with tarfile.open(archive) as members:
            for member in members:
                content = members.extractfile(member) if member.isfile() else None
                if content is not None:
                    (target / Path(member.name).name).write_bytes(content.read())
        archive.unlink()
    (program / "fonts.conf").write_text(_FONTS, encoding="utf-8")
    (program / "chromium").chmod(0o755)
    for name in ("npm", "cache"):
        shutil.rmtree(folder / name)
    yield _START.format(further="", program="chromium")
    yield _START.format(further=_OWN_LIBRARIES, program="chromium")


def _lacking_libraries() -> list[str]:
    """Return those of Chrome's libraries that a system without a desktop often lacks, and this one does."""
    lacking = []
    for name in _LIBRARIES:
        try:
            ctypes.CDLL(name)
        except OSError:
            lacking.append(name)
    return lacking


def _lacks_space(home: Path, megabytes: int) -> str:
    folder = next(folder for folder in (home, *home.parents) if folder.is_dir())
    free = shutil.disk_usage(folder).free / 1e6
    return "" if free >= megabytes else f"it needs {megabytes} MB in {home}, and {free:.0f} MB are free"


def install(way: Way, settings: Settings, limits: Limits, on_progress: Callable[[str], None]) -> Path:
    """Get a browser in one way, and try it; if this fails, leave nothing of it in helio's home.

    Parameters
    ----------
    on_progress : callable
        Gets a short text every few seconds, and when the browser is tried.

    Returns
    -------
    Path
        The browser, which has drawn a figure.

    Raises
    ------
    ExportError
        A command failed or took too long, or the browser that it brought does not work.
    OutputError
        helio's home cannot be written.
    """
    own = own_browser(settings.home)
    with _staged(settings.home) as folder:
        for command in way.commands:
            _run(command, folder, settings, limits, on_progress)
        if way.starts is None:
            browser = find_browser({"PATH": settings.path})
            if browser is None:
                raise ExportError("the package brought no browser that is on PATH")
            on_progress(f"trying {browser}")
            try_browser(browser, limits)
            shutil.rmtree(own.parent, ignore_errors=True)  # it did not work, and would be found first
            return browser
        try:
            _write_start(way.starts(folder), folder / own.name, limits, on_progress)
            shutil.rmtree(own.parent, ignore_errors=True)
            folder.rename(own.parent)
        except (OSError, EOFError, tarfile.TarError) as error:
            raise ExportError(f"what was downloaded cannot be unpacked: {error}") from error
    return own


def _write_start(
    scripts: Iterator[str], start: Path, limits: Limits, on_progress: Callable[[str], None]
) -> None:
    """Write the first script with which the browser draws a figure."""
    failure: ExportError | None = None
    for script in scripts:
        start.write_text(script, encoding="utf-8")
        start.chmod(0o755)
        on_progress("trying the browser with a small figure")
        try:
            try_browser(start, limits)
        except ExportError as error:
            failure = error
        else:
            return
    assert failure is not None
    raise failure


def _staging(home: Path) -> Path:
    return home / "browser.new"


@contextmanager
def _staged(home: Path) -> Iterator[Path]:
    """Give an empty folder for one installation at a time, and delete it afterwards if it was not renamed."""
    folder = _staging(home)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(home / "browser.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unwritable(home, error, "set HELIO_HOME to a folder that you can write") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ExportError(
                "another `helio doctor --fix` is running", advice="wait until it ends"
            ) from error
        shutil.rmtree(folder, ignore_errors=True)  # of a process that was killed
        (folder / "program").mkdir(parents=True)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _run(
    command: Command, folder: Path, settings: Settings, limits: Limits, on_progress: Callable[[str], None]
) -> None:
    log = folder / "output"
    environ = {**settings.environ, "DEBIAN_FRONTEND": "noninteractive", "npm_config_update_notifier": "false"}
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                command.words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environ,
                start_new_session=True,
            )
        except OSError as error:
            raise ExportError(f"{command.words[0]} does not start: {error.strerror}") from error
        try:
            _wait(process, command, folder, limits, on_progress)
        finally:
            if process.poll() is None and command.is_download:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    if process.returncode:
        said = _reason(log.read_text(encoding="utf-8", errors="replace"))
        raise ExportError(said or f"{command.words[0]} ended with code {process.returncode}")
    log.unlink()


def _wait(
    process: subprocess.Popen[bytes],
    command: Command,
    folder: Path,
    limits: Limits,
    on_progress: Callable[[str], None],
) -> None:
    began = grew = shown = time.monotonic()
    size = 0
    while True:
        try:
            process.wait(0.25)
            return
        except subprocess.TimeoutExpired:
            now = time.monotonic()
        if (larger := _size(folder)) != size:
            size, grew = larger, now
        if now - began > limits.command:
            end = "" if command.is_download else f"; process {process.pid} goes on, wait for its end"
            raise ExportError(f"{command.words[0]} took longer than {limits.command:g} s{end}")
        if command.fills_folder and now - grew > limits.silence:
            raise ExportError(f"nothing came from the network for {limits.silence:g} s")
        if now - shown >= 5:
            shown = now
            brought = f"{size / 1e6:.0f} MB after " if command.fills_folder else ""
            on_progress(f"{brought}{now - began:.0f} s")


def _size(folder: Path) -> int:
    """Return the bytes of all files in a folder that other processes change."""
    size = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(path, name)).st_size
            except FileNotFoundError:  # a temporary file that was just deleted
                continue
    return size


def _reason(output: str) -> str:
    """Return the line of a failed command's output that says most."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if any(words in line for words in _TELLING)]
    return next(iter(telling or reversed(lines)), "")[:300]
