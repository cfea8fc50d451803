"""What processes that may be killed get, and what they may take."""

import subprocess
import sys

import pytest

from helio.sources.child import child_environment, memory_limit


def test_a_child_sees_nothing_of_the_users_environment(monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    monkeypatch.setenv("HOME", "/somewhere")
    monkeypatch.setenv("PATH", "/bin")
    environment = child_environment()
    assert not {"GEMINI_API_KEY", "HOME", "HELIO_HOME"} & set(environment)
    assert environment["PATH"] == "/bin"
    assert environment["PYTHONHASHSEED"] == "0"


@pytest.mark.process
def test_a_child_finds_helio_wherever_it_starts(tmp_path):
    found = subprocess.run(
        [sys.executable, "-P", "-c", "import helio.errors"],
        env=child_environment(),
        cwd=tmp_path,
        check=False,
    )
    assert found.returncode == 0


def test_a_child_may_take_three_quarters_of_the_machine(monkeypatch):
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 16 * 1024**3 // 4096}
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    assert memory_limit() == 12 * 1024**3
    pages["SC_PHYS_PAGES"] //= 16
    assert memory_limit() == 2 * 1024**3


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits address space")
def test_a_child_that_wants_more_than_its_limit_gets_a_memory_error():
    program = (
        "from helio.sources.child import limit_memory\n"
        "limit_memory(400 * 1024**2)\n"
        "try:\n    bytearray(1024**3)\nexcept MemoryError:\n    print('refused')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=child_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "refused\n"
