"""What a user owns is readable by that user only; what a user writes elsewhere is as any program writes it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helio import api
from helio.cli import app
from helio.errors import RequestError
from helio.settings import Settings, close_to_others, settings_in_use

pytestmark = pytest.mark.process

GLE = ("run", "gle73-particles", "--archive", "sample", "--direct", "--format", "html")


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty working folder, with the rights that new files usually have."""
    before = os.umask(0o022)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def helio(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def test_a_new_home_is_its_owners_and_outputs_are_as_usual(place: Path) -> None:
    helio(*GLE, "--output", "figures/gle")
    assert mode_of(place / "home") == 0o700
    written = list((place / "figures").rglob("*"))
    assert len(written) > 2
    for path in written:
        assert mode_of(path) == (0o755 if path.is_dir() else 0o644), path


@pytest.mark.parametrize(
    "command", [("runs",), ("list",), ("doctor", "--json"), ("schedule", "list"), ("down",)]
)
@pytest.mark.parametrize("mode", [0o755, 0o750, 0o775, 0o701, 0o777, 0o2775])
def test_an_old_home_is_closed_by_any_command(place: Path, command: tuple[str, ...], mode: int) -> None:
    home = place / "home"
    (home / "runs").mkdir(parents=True)
    home.chmod(mode)
    CliRunner().invoke(app, list(command))
    assert mode_of(home) == 0o700


def test_the_library_closes_it_too_and_says_so_once(
    place: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = place / "home"
    home.mkdir(mode=0o755)
    api.library()
    api.library(Settings(home=home))
    assert mode_of(home) == 0o700
    assert [record.getMessage() for record in caplog.records] == [
        f"other users of this machine could read {home}; now only you can"
    ]
    api.library(Settings(home=place / "deep" / "home"))
    assert mode_of(place / "deep" / "home") == 0o700
    assert mode_of(place / "deep") == 0o755


def test_a_home_that_is_closed_further_stays_so(place: Path) -> None:
    home = place / "home"
    home.mkdir(mode=0o500)
    settings_in_use()
    assert mode_of(home) == 0o500
    home.chmod(0o700)


def test_a_shared_folder_is_no_home(place: Path) -> None:
    """Such as /tmp: its rights are everybody's, and others may put files there."""
    shared = place / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    with pytest.raises(RequestError, match="all users of this machine share"):
        settings_in_use(Settings(home=shared))
    assert stat.S_IMODE(shared.stat().st_mode) == 0o1777
    result = CliRunner().invoke(app, ["runs"], env={"HELIO_HOME": str(shared)})
    assert result.exit_code != 0
    assert f"HELIO_HOME={shared}/helio" in result.output


def test_reading_commands_work_without_a_home_that_can_be_made(place: Path) -> None:
    (place / "file").write_text("")
    assert (
        "gle73-particles"
        in CliRunner().invoke(app, ["list"], env={"HELIO_HOME": f"{place}/file/home"}).output
    )


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="needs root to be somebody else")
def test_another_user_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_as_nobody(path: Path) -> str:
        done = subprocess.run(
            ["cat", str(path)], user=65534, group=65534, extra_groups=[], capture_output=True, text=True
        )
        return done.stderr

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # the folders that pytest makes are closed themselves
        home = folder / "home"
        monkeypatch.setenv("HELIO_HOME", str(home))
        helio(*GLE, "--output", str(folder / "figures"))
        [record] = (home / "runs").glob("*/run.json")
        assert mode_of(record) & 0o004  # it is the home that closes it
        assert read_as_nobody(folder / "figures" / "run.json") == ""
        for path in (record, home / "logs" / "helio.log", home):
            assert "denied" in read_as_nobody(path)


def test_a_home_of_another_user_that_others_can_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    home = tmp_path / "shared"
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    monkeypatch.setattr(os, "geteuid", lambda: home.stat().st_uid + 1)
    with pytest.raises(RequestError, match="belongs to another user"):
        close_to_others(home)
