"""``helio doctor --fix``: which browser is found, how one is installed, and what is left if that fails.

No test changes the system: apt-get, npm and node are scripts, and the download of Chrome comes from loopback.
"""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from helio.cli import app, reproduce
from helio.doctor import browser, browser_finding
from helio.doctor.browser import Command, Limits, Way, install, try_browser, ways_to_get
from helio.errors import ExportError, OutputError
from helio.pipelines.runs.artefacts import find_browser_of, own_browser
from helio.settings import Settings, read_settings
from helio.steps.render.write_figure import StaticRenderer, find_browser
from helio.testing.loopback import LoopbackServer
from helio.testing.network import Authority, ProxyStandIn
from tests.processes import is_running
from tests.waiting import wait_until

CHROMIUM = find_browser(os.environ)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: BROWSER_PATH unset, none on PATH")
SHORT = Limits(command=300, silence=300, trial=60)
BROKEN = "#!/bin/sh\necho 'chrome: error while loading shared libraries: libnss3.so' >&2\nexit 127\n"
CHROME = "the download of kaleido, Google's Chrome for Testing (about 170 MB)"


@pytest.fixture
def bin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with no program but those of the test, an empty home, and no browser anywhere."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("PATH", "HELIO_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / {"PATH": "bin", "HELIO_HOME": "home"}.get(name, "data")))
    for name in ("BROWSER_PATH", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(browser, "_LIBRARIES", ())
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    return folder


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(stat.S_IRWXU)
    return path


def real() -> str:
    """Script that starts the Chromium of this machine."""
    return f'#!/bin/sh\nPATH={os.defpath} exec {CHROMIUM} "$@"\n'


def fix(*words: str, code: int = 1, answers: str = "") -> Result:
    result = CliRunner().invoke(app, ["doctor", "--fix", *words], prog_name="helio", input=answers)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def left(home: Path) -> list[str]:
    return sorted(path.name for path in home.glob("browser*") if path.name != "browser.lock")


def way(*commands: str, start: str = "#!/bin/sh\n") -> Way:
    """Way whose commands are shell scripts that get the folder as $1."""

    def starts(folder: Path) -> Iterator[str]:
        yield start

    folder = str(read_settings().home / "browser.new")
    return Way(
        "a way", "", tuple(Command(("/bin/sh", "-c", text, "sh", folder)) for text in commands), starts
    )


def put_in(made: Way, limits: Limits = SHORT) -> Path:
    return install(made, read_settings(), limits, lambda text: None)


# ---- which browser is found


def test_the_browser_that_doctor_installed_comes_before_path_and_after_browser_path(
    bin: Path, tmp_path: Path
):
    home = tmp_path / "home"
    assert find_browser_of(read_settings()) is None
    downloaded = program(tmp_path / "data" / "choreographer" / "deps" / "chrome-linux64" / "chrome")
    assert find_browser_of(read_settings()) == downloaded
    on_path = program(bin / "chromium")
    assert find_browser_of(read_settings()) == on_path
    own = program(own_browser(home))
    assert find_browser_of(read_settings()) == own
    named = program(tmp_path / "mine")
    settings = Settings(home=home, path=str(bin), browser=str(named))
    assert find_browser_of(settings) == named
    assert browser_finding(settings).found == str(named)


def test_the_download_of_kaleido_is_found_where_kaleido_puts_it(bin: Path, monkeypatch: pytest.MonkeyPatch):
    from choreographer.cli import defaults
    from platformdirs import user_data_path

    place = user_data_path("choreographer", "plotly") / "deps"
    assert defaults.default_download_path.parts[-2:] == place.parts[-2:]
    mac = program(place / "chrome-mac-arm64" / browser._MAC_PROGRAM)
    assert find_browser_of(read_settings()) == mac


# ---- which ways there are


@pytest.mark.parametrize(
    ("programs", "root", "machine", "quick", "obstacles"),
    [
        ([], False, "x86_64", False, ["no apt-get", "", "no npm"]),
        (["apt-get"], False, "x86_64", False, ["needs root", "", "no npm"]),
        (["apt-get", "npm"], True, "x86_64", False, ["", "", "no npm"]),
        (["apt-get", "npm", "node"], True, "x86_64", True, ["--quick never does", "", ""]),
        (["npm", "node"], False, "aarch64", False, ["no apt-get", "Linux on aarch64", "Linux on aarch64"]),
    ],
)
def test_a_way_says_why_this_machine_cannot_use_it(
    bin: Path, monkeypatch: pytest.MonkeyPatch, programs, root, machine, quick, obstacles
):
    for name in programs:
        program(bin / name)
    monkeypatch.setattr("os.geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr("platform.machine", lambda: machine)
    ways = ways_to_get(read_settings(), quick=quick)
    assert len(ways) == len(obstacles)
    for way, obstacle in zip(ways, obstacles, strict=True):
        assert obstacle in way.obstacle
        assert bool(way.obstacle) == bool(obstacle)


def test_libraries_that_chrome_needs_are_looked_for_before_the_download(
    bin: Path, monkeypatch: pytest.MonkeyPatch
):
    present = "libc.so.6" if sys.platform == "linux" else "libSystem.dylib"
    monkeypatch.setattr(browser, "_LIBRARIES", (present, "libno.so.1"))
    chrome = ways_to_get(read_settings(), quick=False)[1]
    assert chrome.obstacle == "Chrome needs libraries that this system lacks: libno.so.1"
    assert f"  {CHROME}: {chrome.obstacle}\n" in fix("--yes").output


def test_a_program_that_is_no_browser_is_said_without_advice_that_leads_back_here(bin: Path):
    with pytest.raises(ExportError, match="could not draw the figure") as refused:
        try_browser(
            program(bin / "chromium", "#!/bin/sh\nexit 0\n"), Limits(command=300, silence=300, trial=10)
        )
    assert refused.value.advice == ""


def test_a_full_disk_is_said_before_anything_is_downloaded(bin: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 123e6}))
    chrome = ways_to_get(read_settings(), quick=False)[1]
    assert "it needs 800 MB in" in chrome.obstacle
    assert "123 MB are free" in chrome.obstacle


# ---- one installation


def test_a_browser_that_does_not_start_leaves_nothing(bin: Path, tmp_path: Path):
    with pytest.raises(ExportError, match=r"does not start: .*libnss3\.so"):
        put_in(way("echo x > $1/program/big", start=BROKEN))
    assert left(tmp_path / "home") == []


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo first; echo 'npm error reason: getaddrinfo ENOTFOUND'; echo see the log; exit 1", "ENOTFOUND"),
        (
            "echo 'E: Failed to fetch http://deb'; echo 'E: maybe run apt-get update'; exit 100",
            "fetch http://deb",
        ),
        ("echo Traceback; echo 'URLError: refused' >&2; exit 1", "URLError: refused"),
        ("exit 4", "ended with code 4"),
        ("echo half > $1/program/chrome.zip; kill -9 $$", "ended with code -9"),
    ],
)
def test_a_command_that_fails_says_why_and_leaves_nothing(bin: Path, tmp_path: Path, script: str, said: str):
    with pytest.raises(ExportError, match=said):
        put_in(way("true", script))
    assert left(tmp_path / "home") == []


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(command=300, silence=0.3, trial=60), "nothing came from the network for 0.3 s"),
        (Limits(command=0.3, silence=300, trial=60), "took longer than 0.3 s"),
    ],
)
def test_a_download_that_hangs_is_ended_with_its_children(bin: Path, tmp_path: Path, limits, said):
    pids = tmp_path / "pids"
    with pytest.raises(ExportError, match=said):
        put_in(way(f"/bin/sleep 1000 & echo $! $$ > {pids}; wait"), limits)
    assert left(tmp_path / "home") == []
    for pid in pids.read_text().split():
        wait_until(lambda pid=pid: not is_running(int(pid)), f"the end of process {pid}")


def test_a_cancelled_installation_leaves_nothing(bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def cancel(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(browser, "_wait", cancel)
    with pytest.raises(KeyboardInterrupt):
        put_in(way("/bin/sleep 1000"))
    assert left(tmp_path / "home") == []


def test_what_a_killed_installation_left_is_removed(
    bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(browser, "try_browser", lambda path, limits: None)
    program(tmp_path / "home" / "browser.new" / "program" / "old")
    program(own_browser(tmp_path / "home"), BROKEN)
    assert put_in(way("echo new > $1/program/new")) == own_browser(tmp_path / "home")
    assert left(tmp_path / "home") == ["browser"]
    assert os.listdir(tmp_path / "home" / "browser" / "program") == ["new"]


def test_two_installations_at_once_are_refused(bin: Path, tmp_path: Path):
    (tmp_path / "home").mkdir()
    with (tmp_path / "home" / "browser.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ExportError, match="another `helio doctor --fix` is running"):
            put_in(way("true"))


def test_a_home_that_cannot_be_made_is_said(bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(OutputError) as refused:
        put_in(way("true"))
    assert "HELIO_HOME" in refused.value.advice


def test_a_browser_without_fonts_is_not_ready(bin: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(StaticRenderer, "render", lambda *arguments, **options: b"\x89PNG, all white")
    with pytest.raises(ExportError, match="draws no text") as refused:
        try_browser(program(bin / "chromium"), SHORT)
    assert "fonts-dejavu-core" in refused.value.advice


@needs_browser
@pytest.mark.browser
def test_a_browser_that_draws_is_ready():
    assert CHROMIUM is not None
    try_browser(CHROMIUM)


# ---- the ways, each with a stand-in


@needs_browser
@pytest.mark.browser
def test_as_root_the_package_is_installed_and_tried(
    bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    program(own_browser(tmp_path / "home"), BROKEN)
    script = f"""#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >> {tmp_path}/asked
case "$*" in *--no-download*) printf '%s' '{real()}' > {bin}/chromium; /bin/chmod 700 {bin}/chromium;; esac
"""
    program(bin / "apt-get", script)
    said = fix("--yes", code=0).output
    assert f"ready: {bin}/chromium draws PNG, PDF and SVG" in said
    update, download, finish = (tmp_path / "asked").read_text().splitlines()
    assert update.startswith("noninteractive update")
    assert download.endswith("--download-only chromium")
    assert finish.endswith("--no-download chromium")
    assert f"$ {bin}/apt-get update" in said
    assert left(tmp_path / "home") == [], "the broken one would have been found first"


class _ChromeHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = self.server.owner.content  # type: ignore[attr-defined]
        self.send_response(200 if content else 404)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def chrome_server(bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """Stand-in for storage.googleapis.com behind a proxy, with a certificate that the download trusts."""
    authority = Authority(tmp_path)
    with LoopbackServer(_ChromeHandler) as server, ProxyStandIn() as proxy:
        context = authority.context("storage.googleapis.com")
        server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
        handler = proxy.server.RequestHandlerClass

        class Redirecting(handler):  # type: ignore[valid-type, misc]
            def do_CONNECT(self) -> None:  # noqa: N802
                proxy.asked.append(self.path)
                self.path = f"127.0.0.1:{server.port}"
                super().do_CONNECT()

        proxy.server.RequestHandlerClass = Redirecting
        monkeypatch.setenv("https_proxy", proxy.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        server.content = b""  # type: ignore[attr-defined]
        server.asked = proxy.asked  # type: ignore[attr-defined]
        yield server


def zipped(text: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        entry = zipfile.ZipInfo("chrome-linux64/chrome")
        entry.external_attr = 0o755 << 16
        archive.writestr(entry, text)
    return content.getvalue()


@needs_browser
@pytest.mark.browser
def test_chrome_for_testing_is_downloaded_tried_and_found_again(chrome_server, tmp_path: Path):
    chrome_server.content = zipped(real())
    own = own_browser(tmp_path / "home")
    assert f"ready: {own} draws PNG, PDF and SVG" in fix("--yes", code=0).output
    assert "storage.googleapis.com:443" in chrome_server.asked
    assert left(tmp_path / "home") == ["browser"]
    assert not (tmp_path / "data" / "choreographer").exists(), (
        "nothing was put into choreographer's own folder"
    )
    again = fix(code=0).output
    assert again == f"browser: {own}; trying it with a small figure\nready: it draws PNG, PDF and SVG\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "HTTP Error 404"),
        (b"<html>log in to this network</html>", "not a zip file"),
        (zipped("#!/bin/sh\necho x")[:-20], "zip"),
        (zipped(BROKEN), "error while loading shared libraries: libnss3.so"),
        (zipped("no program"), "does not start"),
    ],
)
def test_a_download_that_is_no_browser_is_said_and_leaves_nothing(chrome_server, tmp_path, content, said):
    chrome_server.content = content
    shown = fix("--yes").output
    assert said in shown.split("failed: ")[1].split("\n")[0]
    assert f"  {CHROME}: " in shown
    assert left(tmp_path / "home") == []


def test_a_machine_without_network_says_each_failure_and_what_to_do(
    bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    program(bin / "apt-get")
    program(bin / "node")
    program(
        bin / "npm", "#!/bin/sh\necho 'npm error network failed, reason: getaddrinfo EAI_AGAIN' >&2\nexit 1\n"
    )
    said = fix("--yes", "--quick").output
    _, summary = said.split("there is no browser that draws PNG, PDF and SVG; the ways to get one:\n")
    package, chrome, npm, advice = summary.splitlines()
    assert "--quick never does" in package
    assert "URLError" in chrome
    assert "EAI_AGAIN" in npm
    assert advice.startswith("help: as root, run apt-get install chromium")
    assert "BROWSER_PATH" in advice
    assert left(tmp_path / "home") == []


def tarred(path: Path, **members: str) -> None:
    with tarfile.open(path, "w") as archive:
        for name, text in members.items():
            entry = tarfile.TarInfo(f"lib/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))


@needs_browser
@pytest.mark.browser
@pytest.mark.parametrize("lacks_libraries", [False, True])
def test_the_npm_package_is_unpacked_and_started_with_its_libraries_where_the_system_lacks_them(
    bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks_libraries: bool
):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    unpacked = tmp_path / "unpacked"
    check = (
        f'[ -n "$LD_LIBRARY_PATH" ] || {{\n{BROKEN}}}\nunset LD_LIBRARY_PATH FONTCONFIG_FILE\n'
        if lacks_libraries
        else ""
    )
    program(unpacked / "chromium", real().replace("#!/bin/sh\n", f"#!/bin/sh\n{check}"))
    for name in ("swiftshader", "al2023", "fonts"):
        tarred(unpacked / f"{name}.tar", **{f"of-{name}": name})
    program(
        bin / "npm",
        '#!/bin/sh\nPATH=/usr/bin:/bin\n[ "$2" = --prefix ] || exit 9\n'
        'mkdir -p "$5" "$3/node_modules/@sparticuz/chromium/bin"\n',
    )
    program(bin / "node", f'#!/bin/sh\n/bin/cp {unpacked}/* "$4"\n')
    own = own_browser(tmp_path / "home")
    said = fix("--yes", code=0).output
    assert f"ready: {own}" in said
    assert ("LD_LIBRARY_PATH" in own.read_text()) == lacks_libraries
    content = {str(path.relative_to(own.parent)) for path in own.parent.rglob("*") if path.is_file()}
    assert content == {
        "chromium",
        "program/chromium",
        "program/fonts.conf",
        "program/of-swiftshader",
        "program/lib/of-al2023",
        "program/fonts/of-fonts",
    }


# ---- the conversation


def test_without_a_terminal_it_only_says_what_it_would_run(bin: Path, tmp_path: Path):
    for name in ("npm", "node"):
        program(bin / name, f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    said = fix().output
    assert said.startswith("browser: no browser: figures can be written as HTML and JSON only\n")
    assert f"  $ {bin}/npm install --prefix {tmp_path}/home/browser.new/npm" in said
    assert f"  $ {sys.executable} -P -c " in said
    assert said.count("nobody can be asked here; to run it, add --yes") == 2
    assert left(tmp_path / "home") == []
    assert not (tmp_path / "was-run").exists()


@pytest.mark.parametrize(("answers", "installed"), [("n\n", False), ("\n", False), ("y\n", True)])
def test_each_way_is_asked_for(bin: Path, monkeypatch: pytest.MonkeyPatch, answers: str, installed: bool):
    monkeypatch.setattr(reproduce, "can_ask", lambda: True)
    monkeypatch.setattr(browser, "_run", lambda *arguments: None)
    monkeypatch.setattr(browser, "try_browser", lambda *arguments: None)
    said = fix(code=0 if installed else 1, answers=answers).output
    assert "Run this? [y/N]: " in said
    assert said.index("  $ ") < said.index("Run this?")
    assert ("ready: " in said) == installed
    assert (f"  {CHROME}: not run\n" in said) != installed


def test_a_browser_path_that_is_wrong_cannot_be_mended_by_an_installation(
    bin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BROWSER_PATH", "/nope")
    said = fix("--yes").output
    assert "there is no browser at /nope" in said
    assert "help: BROWSER_PATH names this browser; unset it" in said
    monkeypatch.setenv("BROWSER_PATH", str(program(tmp_path / "mine", BROKEN)))
    said = fix("--yes").output
    assert "it does not work: " in said
    assert "$ " not in said


@pytest.mark.parametrize(
    "words",
    [
        ["--yes"],
        ["--quick"],
        ["--fix", "--json"],
        ["--fix", "--online"],
        ["--fix", "--report", "r.json"],
        ["--fix", "--archive", "sample"],
    ],
)
def test_options_that_do_not_go_together_are_refused(bin: Path, words: list[str]):
    result = CliRunner().invoke(app, ["doctor", *words], prog_name="helio")
    assert result.exit_code == 2, result.output
    assert "--fix" in result.output


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
@pytest.mark.parametrize(("fixed", "run", "code"), [(0, 0, 0), (1, 3, 0), (1, 1, 2), (0, 1, 2)])
def test_the_demo_looks_for_a_browser_and_goes_on_without_one(
    tmp_path: Path, fixed: int, run: int, code: int
):
    stand_in = f'#!/bin/sh\necho "$*"\n[ "$1" = doctor ] && exit {fixed}\nexit {run}\n'
    program(tmp_path / "bin" / "helio", stand_in)
    made = subprocess.run(
        ["make", "demo", f"VENV={tmp_path}", "-o", f"{tmp_path}/.installed"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == code, made.stderr
    asked = [line for line in made.stdout.splitlines() if line.startswith(("doctor", "run"))]
    assert asked[0] == "doctor --fix --yes --quick"
    assert asked[1].startswith("run gle73-particles --archive sample")
    assert ("The HTML figure is complete" in made.stdout) == (run == 3)
