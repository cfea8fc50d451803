"""The jail itself: its limits, its parts, and that nothing of it outlives its owner."""

from __future__ import annotations

import mmap
import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from helio.errors import BadResult, CodeFailed, CodeRefused, NoSandbox
from helio.steps.sandbox import clock, isolation, parts
from helio.steps.sandbox.exchange import pack
from helio.steps.sandbox.jail import Jail, find_parts
from helio.steps.sandbox.limits import SandboxLimits
from helio.steps.sandbox.parts import ALWAYS, HARDENING, NECESSARY, check_parts, check_system
from helio.steps.sandbox.system_calls import MACHINES, call_filter
from helio.store.table import Axis, Table
from tests.processes import descendants, is_running
from tests.waiting import LONG, wait_until

from .conftest import field

pytestmark = pytest.mark.process

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="code runs on Linux alone")
ENDLESS = "while True: pass"
AMPLE = SandboxLimits(cpu_seconds=int(LONG), wall_seconds=LONG)
"""More time than a busy machine needs to end the code in another way."""


# Limits -------------------------------------------------------------------------------------------------------


@on_linux
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (ENDLESS, "more than 1 s of processor time"),
        ("x = np.ones((10**5, 10**4))", "more memory than the 256 MiB"),
        ("x = [np.ones(10**6) for i in range(300)]", "more memory than the 256 MiB"),
        ("def f(n): return f(n + 1)\nf(0)", "RecursionError"),
        ("result = pd.DataFrame(np.zeros((2, 2001)))", "2,001 columns, but at most 2,000"),
        ("result = pd.Series(np.zeros(5_000_000))", "the result has 38 MiB, but at most 32"),
        ("x = 1 / 0", "failed at line 1: ZeroDivisionError: division by zero"),
        ("x = 1\ny = [\n  nowhere]", "failed at line 3: NameError: name 'nowhere' is not defined"),
        ("x = 1", "the code did not assign 'result'"),
        ("raise ValueError('\\x1b[31mred')", "ValueError:  [31mred"),
        ("pd.compat.sys.exit(3)", "SystemExit"),
        ("pd.io.common.os._exit(0)", "ended without a message"),
        ("pd.compat.sys.modules['ctypes'].string_at(0)", "damaged its own memory"),
    ],
)
def test_what_goes_wrong_is_named(code: str, said: str, jail: Jail):
    with pytest.raises(CodeFailed) as caught:
        jail.run(code)
    assert said in caught.value.message


@on_linux
def test_a_missing_column_is_answered_with_those_that_are_there(jail: Jail):
    with pytest.raises(CodeFailed) as caught:
        jail.run("result = df['Bx']", [("BGSEc", field(5))])
    assert caught.value.advice == "use the names that are in scope: df_BGSEc (columns x, y, z)"


@on_linux
@pytest.mark.parametrize(
    "status",
    [
        *('{"ok": true}', "[" * 9000, "no JSON", '{"error": 3}', "{}", '{"ok": 1}', '{"signal": true}'),
        *('{"late": true}', '{"signal": 24}', '{"signal": %s}' % ("9" * 4290), '{"silent": true}'),
    ],
)
def test_what_code_tells_in_the_name_of_the_jail_is_not_believed(status: str, jail: Jail):
    code = f"os = pd.io.common.os\nos.write(5, {status.encode()!r})\nos._exit(0)"
    with pytest.raises((CodeFailed, BadResult)) as caught:
        jail.run(code)
    assert "cannot be read" in caught.value.message or "ended without a message" in caught.value.message


@on_linux
@pytest.mark.parametrize("line", ["9" * 4290, "true", "-1", "[1]"])
def test_a_line_that_is_none_is_not_shown(line: str, jail: Jail):
    status = f'{{"error": "ValueError", "message": "no", "line": {line}}}'
    with pytest.raises(CodeFailed) as caught:
        jail.run(f"os = pd.io.common.os\nos.write(5, {status.encode()!r})\nos._exit(0)")
    assert caught.value.message == "the code failed: ValueError: no"


@on_linux
def test_another_time_zone_is_answered_with_what_is_out_of_reach(jail: Jail):
    with pytest.raises(CodeFailed) as caught:
        jail.run("result = df.tz_localize('Europe/Berlin')", [("B", field(5))])
    assert "time zones other than UTC" in caught.value.advice


@on_linux
def test_an_error_that_ends_the_process_when_it_is_told_is_told(jail: Jail):
    make = "pd.compat.sys.modules['builtins'].type"
    with pytest.raises(CodeFailed) as caught:
        jail.run(
            f"def end(self): pd.compat.sys.exit()\nraise {make}('Odd', (ValueError,), {{'__str__': end}})()"
        )
    assert caught.value.message == "the code failed at line 2: Odd"


@on_linux
def test_a_parent_that_is_killed_while_it_starts_is_an_error_that_says_so():
    with Jail() as jail:
        jail.start()
        parent = jail._zygote
        assert parent is not None
        parent._process.kill()
        with pytest.raises(NoSandbox) as caught:
            parent.parts()  # by jail.run, one that is seen to have ended is begun anew
        assert caught.value.message == "the process that runs the code did not start: it was killed"
        assert "helio doctor" in caught.value.advice


@on_linux
def test_a_program_that_is_far_too_long_is_not_sent(jail: Jail):
    with pytest.raises(CodeRefused, match="longer than the 150,000 bytes"):
        jail.run("x = 1\n" * 40_000)
    assert jail.run("result = pd.Series([1.0])").kind == "series"


@on_linux
def test_a_flood_of_words_is_cut_off(jail: Jail):
    with pytest.raises((CodeFailed, BadResult)):
        jail.run("os = pd.io.common.os\nfor i in range(200):\n    os.write(5, b'x' * 4096)")


@on_linux
@pytest.mark.parametrize("written", [b"", b"no Arrow", b"\xff" * 4096])
def test_a_result_that_is_none_is_not_read(written: bytes, jail: Jail):
    code = f"os = pd.io.common.os\nos.write(4, {written!r})\nos.write(5, b'{{\"ok\": true}}')\nos._exit(0)"
    with pytest.raises(BadResult, match="cannot be read"):
        jail.run(code)


# What is in scope ---------------------------------------------------------------------------------------------


@on_linux
def test_a_spectrum_is_a_frame_by_its_centres_and_an_array(jail: Jail):
    flux = Table(
        field(4).epoch, np.arange(12.0).reshape(4, 3), "", axes=(Axis("E", "keV", np.array([1.5, 20, 300])),)
    )
    returned = jail.run("result = df.loc[:, df.columns > 10]", [("flux", flux)])
    assert returned.columns == (20.0, 300.0)
    returned = jail.run("result = da_flux.sel(dim1=300.0)", [("flux", flux)])
    assert returned.values is not None
    assert returned.values.tolist() == [2.0, 5.0, 8.0, 11.0]


@on_linux
def test_two_bin_axes_are_an_array_alone(jail: Jail):
    axes = (Axis("E", "eV", np.array([1.0, 2.0])), Axis("angle", "deg", np.ones((4, 3)) * [0.0, 90.0, 180.0]))
    table = Table(field(4).epoch, np.ones((4, 2, 3)), axes=axes)
    returned = jail.run("result = da.sum('dim1') + da_psd.dim2_bins", [("psd", table)])
    assert returned.values is not None
    assert returned.values[0].tolist() == [2.0, 92.0, 182.0]
    with pytest.raises(CodeFailed, match="name 'df' is not defined"):
        jail.run("result = df", [("psd", table)])


@on_linux
def test_the_first_table_is_df_for_short(jail: Jail):
    one = Table(field(2).epoch, np.array([1.0, 2.0]), name="n")
    two = Table(field(2).epoch, np.array([10.0, 20.0]), name="V")
    returned = jail.run("result = df['n'] * df_V['V'] + df_n['n']", [("n", one), ("V", two)])
    assert returned.values is not None
    assert returned.values.ravel().tolist() == [11.0, 42.0]


def test_float32_goes_in_as_it_is():
    table = Table(field(3).epoch, np.ones(3, dtype=np.float32))
    assert len(pack([("B", table)])) < len(pack([("B", Table(table.epoch, np.ones(3)))]))


# Nothing outlives its owner -----------------------------------------------------------------------------------

OWNER = """
import sys
from helio.steps.sandbox.jail import Jail
jail = Jail()
jail.parts()
print("ready", flush=True)
jail.run("while True: pass")
"""


@on_linux
def test_all_of_it_ends_with_its_owner():
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        wait_until(
            lambda: len(descendants(owner.pid)) >= 3
        )  # the waiting one, process 1 of its world, and the child
        below = descendants(owner.pid)
        owner.kill()
    wait_until(lambda: not any(map(is_running, below)))


@contextmanager
def killed_as_it_runs(jail: Jail, kill: Callable[[int], None]) -> Iterator[None]:
    """Call `kill` with the waiting process once a process runs the code, and expect the error that tells of it."""
    jail.parts()
    assert jail._zygote is not None
    zygote = jail._zygote._process.pid
    assert len(descendants(zygote)) == 1  # process 1 of its world

    def wait() -> None:
        wait_until(lambda: len(descendants(zygote)) == 2, "a process for the code")
        kill(zygote)

    thread = threading.Thread(target=wait)
    thread.start()
    with pytest.raises(CodeFailed, match="was killed"):
        yield
    thread.join()


@on_linux
def test_a_killed_parent_is_an_error_and_the_next_operation_has_another():
    with Jail(limits=AMPLE) as jail:
        with killed_as_it_runs(jail, lambda zygote: os.kill(descendants(zygote)[0], signal.SIGKILL)):
            jail.run(ENDLESS)
        assert jail.run("result = pd.Series([1.0])").kind == "series"


@on_linux
def test_the_clock_a_lifeline_and_closing_end_what_runs(monkeypatch: pytest.MonkeyPatch):
    here, there = os.pipe()
    with Jail(limits=SandboxLimits(wall_seconds=1), lifeline=here) as jail:
        with pytest.raises(CodeFailed, match=r"longer than 1 s"):
            jail.run(ENDLESS)
        assert jail._zygote is not None
        below = [jail._zygote._process.pid, *descendants(jail._zygote._process.pid)]
        assert len(below) == 2  # the child is gone
        monkeypatch.setattr(jail, "_limits", AMPLE)
        with killed_as_it_runs(jail, lambda zygote: os.close(there)):
            jail.run(ENDLESS)
        jail.close()
        wait_until(lambda: not any(map(is_running, below)))
    os.close(here)


@on_linux
def test_nothing_is_started_before_it_is_needed():
    with Jail() as jail:
        assert jail._zygote is None


# Parts --------------------------------------------------------------------------------------------------------

# Refuses some system calls, as a container's own filter does, lets every other pass, and starts a jail behind it.
WITHOUT = """
import struct, sys
from helio.errors import NoSandbox
from helio.steps.sandbox import isolation
from helio.steps.sandbox.jail import Jail, find_parts
from helio.steps.sandbox.parts import check_parts
program = []
for number, _, third in (one.partition(":") for one in sys.argv[1].split(",")):
    asked = [(0x20, 0, 0, 32), (0x15, 0, 1, int(third))] if third else []  # of calls with this third argument alone
    program += [(0x20, 0, 0, 0), (0x15, 0, len(asked) + 1, int(number)), *asked, (0x06, 0, 0, 0x00050001)]
program.append((0x06, 0, 0, 0x7fff0000))
isolation.refuse_calls(b"".join(struct.pack("=HBBI", *one) for one in program))
found = find_parts()
print([one.name for one in found if one.lacking])
try:
    check_parts(found, "refuse")
except NoSandbox as error:
    print(error.message, "|", error.advice)
if "run" in sys.argv:
    with Jail(policy="weak") as jail:
        print(jail.run("result = pd.Series([1.0])").kind)
        print(jail.run("pd.io.common.os.listdir('/')"))
"""
UNSHARE = {"x86_64": 272, "aarch64": 97}
LANDLOCK = 444


def without(*calls: int | str, run: bool = False) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", WITHOUT, ",".join(map(str, calls)), *(["run"] if run else [])]
    return subprocess.run(program, capture_output=True, text=True, check=False)


@on_linux
def test_without_namespaces_code_is_refused():
    lacking, refused = without(UNSHARE[os.uname().machine]).stdout.splitlines()
    assert lacking == "['namespaces']"
    assert refused.startswith("this machine cannot isolate code as required: user, mount, network, process")
    assert "Operation not permitted" in refused
    assert refused.endswith("HELIO_SANDBOX=weak, if you trust the code")


@on_linux
def test_without_landlock_code_is_refused():
    lacking, refused = without(LANDLOCK).stdout.splitlines()
    assert lacking == "['Landlock']"
    assert "Landlock, Linux 5.13 or later" in refused


@on_linux
def test_without_either_code_runs_where_that_is_wished_and_reaches_no_file():
    done = without(UNSHARE[os.uname().machine], LANDLOCK, run=True)
    lacking, _, ran = done.stdout.splitlines()
    assert lacking == "['Landlock', 'namespaces']"
    assert ran == "series"
    assert "CodeFailed: the code at line 1 used something that is not allowed: PermissionError" in done.stderr


@on_linux
def test_this_machine_has_every_part_or_says_which_it_lacks():
    found = find_parts()
    assert {part.name for part in found} == {*NECESSARY, *HARDENING}
    assert all(part.meaning for part in found)


def test_without_a_filter_code_is_never_run():
    found = parts.parts({parts.FILTER: "no seccomp"})
    for policy in ("refuse", "weak"):
        with pytest.raises(NoSandbox, match="seccomp filter: no seccomp") as caught:
            check_parts(found, policy)  # type: ignore[arg-type]
        assert "weak" not in caught.value.advice


def test_what_only_hardens_may_be_lacking():
    check_parts(parts.parts(dict.fromkeys(HARDENING, "no")), "refuse")
    check_parts(parts.parts(dict.fromkeys({*NECESSARY} - {*ALWAYS}, "no")), "weak")


@pytest.mark.parametrize(
    ("system", "machine"), [("darwin", "arm64"), ("linux", "riscv64"), ("win32", "AMD64")]
)
def test_elsewhere_code_is_refused_in_words(system: str, machine: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parts.sys, "platform", system)
    monkeypatch.setattr(parts.platform, "machine", lambda: machine)
    with pytest.raises(NoSandbox, match=r"only on Linux \(x86_64, aarch64\)"):
        check_system()
    with Jail() as jail, pytest.raises(NoSandbox):
        jail.run("result = 1")


PERSONALITY = {"x86_64": 135, "aarch64": 92}


@on_linux
def test_without_fixed_addresses_code_runs():
    done = without(PERSONALITY[os.uname().machine], run=True)
    lacking, ran = done.stdout.splitlines()
    assert lacking == "['fixed addresses']"
    assert ran == "series"


MPROTECT = {"x86_64": 10, "aarch64": 226}


@on_linux
def test_where_the_clock_cannot_be_stopped_code_runs():
    done = without(f"{MPROTECT[os.uname().machine]}:5", run=True)  # of memory that is executed
    lacking, ran = done.stdout.splitlines()
    assert lacking == "['no clock']"
    assert ran == "series"


# The clock ----------------------------------------------------------------------------------------------------


def lacks(jail: Jail, name: str) -> str:
    return next(part.lacking for part in jail.parts() if part.name == name)


@on_linux
@pytest.mark.parametrize(
    "asked",
    [
        "np.datetime64('now').astype(int)",
        "pd.Timestamp('now').value",
        "pd.Timestamp.now().value",
        "pd.Timestamp('12:00').value",
        "pd.to_datetime(['no' + 'w'])[0].value",
        "pd.compat.sys.modules['time'].time_ns()",
        "pd.compat.sys.modules['time'].perf_counter_ns()",
        "pd.compat.sys.modules['time'].process_time_ns()",
        "pd.compat.sys.modules['time'].localtime()[0] - 1970",
        "pd.compat.sys.modules['ctypes'].CDLL(None).time(None)",
    ],
)
def test_no_clock_can_be_read(asked: str, jail: Jail):
    if lacks(jail, parts.CLOCK):
        pytest.skip(f"the kernel does not let its clock be stopped: {lacks(jail, parts.CLOCK)}")
    try:
        returned = jail.run(f"result = pd.DataFrame([float({asked})])")
    except CodeFailed as error:
        assert "PermissionError" in error.message
    else:
        assert returned.values is not None
        assert abs(returned.values[0, 0]) <= 43_200e9  # noon of the first day that computers count


@on_linux
def test_the_functions_that_tell_the_time_are_found():
    found = clock.find_clock()
    if not found.length:
        pytest.skip("the kernel maps no vDSO")
    assert len(found.functions) >= 3
    assert all(found.start < address < found.start + found.length for address in found.functions)


@on_linux
def test_either_table_says_how_many_functions_the_kernel_s_library_has():
    found = clock.find_clock()
    if not found.length:
        pytest.skip("the kernel maps no vDSO")
    _, _, tables = clock._tables(found.start)
    if not {clock._HASH, clock._GNU_HASH} <= tables.keys():
        pytest.skip("the kernel's vDSO has one table alone")
    other = {tag: at for tag, at in tables.items() if tag != clock._HASH}
    assert clock._symbols(other) == clock._symbols(tables) > 3


@on_linux
def test_a_clock_that_cannot_be_stopped_is_an_error():
    with pytest.raises(OSError, match="mprotect"):
        clock.stop_clock(clock.TimeFunctions(mmap.PAGESIZE, mmap.PAGESIZE, (mmap.PAGESIZE,)))
    clock.stop_clock(clock.TimeFunctions(0, 0, ()))  # there is none


@on_linux
def test_memory_is_laid_out_alike_in_every_operation_and_every_jail(jail: Jail):
    if lacks(jail, parts.ADDRESSES):
        pytest.skip(f"the kernel does not fix addresses: {lacks(jail, parts.ADDRESSES)}")
    code = "result = pd.DataFrame([float(int(str(lambda: 0).split('0x')[1].strip('>'), 16))])"
    with Jail() as first, Jail() as other:
        told = [jail_.run(code).values for jail_ in (first, first, other)]
    once, again, elsewhere = (float(values.item()) for values in told if values is not None)
    assert once == again > 0
    # libraries do not take quite as much when they are loaded; at random it would be terabytes
    assert abs(elsewhere - once) < 1 << 24


@on_linux
def test_code_finds_neither_the_machine_s_name_nor_the_user_s_folders(jail: Jail):
    code = "m = pd.compat.sys.modules\nraise ValueError([m['platform'].node(), m['sys'].argv, m['sys'].path, "
    with pytest.raises(CodeFailed) as caught:
        jail.run(code + "m['sys'].orig_argv, m['site'].USER_SITE, m['site'].USER_BASE])")
    assert caught.value.message.endswith("ValueError: ['jail', [], [], [], None, None]")


# The filter ---------------------------------------------------------------------------------------------------


def verdict(program: bytes, audit: int, number: int, third: int = 0) -> int:
    """What the filter says of a call, by reading it as the kernel does."""
    call = struct.pack("=IIQ6Q", number, audit, 0, 0, 0, third, 0, 0, 0)
    instructions = list(struct.iter_unpack("=HBBI", program))
    place = value = 0
    while True:
        code, yes, no, constant = instructions[place]
        place += 1
        if code == 0x20:
            (value,) = struct.unpack_from("=I", call, constant)
        elif code == 0x06:
            return int(constant)
        else:
            held = {0x15: value == constant, 0x35: value >= constant, 0x45: bool(value & constant)}[code]
            place += yes if held else no


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_only_what_is_on_the_list_is_called(machine: str):
    known, program = MACHINES[machine], call_filter(machine)
    allowed = {number for number in range(1024) if verdict(program, known.audit, number) == 0x7FFF0000}
    assert allowed == {*known.calls.values(), *known.mapping.values()}
    for number in known.mapping.values():
        assert verdict(program, known.audit, number, third=7) == 0x00050001
        assert verdict(program, known.audit, number, third=3) == 0x7FFF0000
    # calls of another kind of program that the same kernel runs
    assert verdict(program, 0x40000003, 1) == 0x80000000
    assert verdict(program, known.audit, 0x40000000 + 1) == 0x00050001


def test_the_capabilities_are_given_up_on_either_machine():
    assert isolation._CAPABILITIES.keys() == isolation._PIVOT_ROOT.keys() == MACHINES.keys()
