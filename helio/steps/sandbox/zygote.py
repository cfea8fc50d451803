"""The parent process of the sandbox: it imports libraries, gives up its rights, and starts a child for each operation.

The process reads requests from a socket, whose number is its argument, and answers each with one message. It ends,
with all its children, as soon as the other end is closed, also while code is running.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import random
import select
import signal
import site
import socket
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from helio.steps.sandbox import isolation, operation
from helio.steps.sandbox.clock import TimeFunctions, find_clock, stop_clock
from helio.steps.sandbox.limits import SandboxLimits
from helio.steps.sandbox.parts import ADDRESSES, CLOCK, FILTER, IDENTITY, LANDLOCK, LIMITS, NAMESPACES
from helio.steps.sandbox.system_calls import call_filter

_LONGEST_MESSAGE = 1 << 20
_LONGEST_STATUS = 16_384
_AGAIN = "--again"
"""Argument that marks the second start of this program, which has fixed memory addresses."""

# What is in scope, and what it imports when one of its functions is first used: in the jail there is no file to
# import from. Of packages all modules are imported.
_MODULES = (
    "_strptime",
    "calendar",
    "dateutil.parser",
    "dateutil.tz",
    "decimal",
    "encodings.idna",
    "encodings.latin_1",
    "fractions",
    "numpy.fft",
    "numpy.lib.recfunctions",
    "numpy.linalg",
    "numpy.ma",
    "numpy.polynomial",
    "numpy.random",
    "pyarrow.compute",
    "pyarrow.pandas_compat",
    "pywt",
    "scipy.interpolate",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.sparse.linalg",
    "scipy.special",
    "scipy.stats",
    "traceback",
    "zoneinfo",
)
_PACKAGES = (
    "pandas.core",
    "pandas.io.formats",
    "pandas.tseries",
    "pywt",
    "scipy.fft",
    "scipy.linalg",
    "scipy.signal",
    "xarray",
)
_LEFT_OUT = ("tests", "testing", "conftest", "backends", "plot", "tutorial", "_backends")
_WARM_UP = """
s = df.resample('10s').mean().interpolate('time').ffill().bfill()
s = df.rolling('5s').mean() + df.rolling(5, center=True).median() + df.ewm(span=5).mean() + df.expanding().mean()
g = df.groupby(df.index.floor('min')).agg(['mean', 'std'])
g = df.groupby(df.index.hour)['x'].apply(lambda one: one - one.mean())
p = df.pivot_table(index=df.index.hour, values='x', aggfunc='mean')
m = pd.merge_asof(df, df.add_suffix('_r'), left_index=True, right_index=True)
m = pd.concat([df, df.shift(1).add_suffix('_lag')], axis=1).join(df.add_suffix('_j')).describe()
t = pd.to_datetime(['2024-01-01T00:00:00', '2024-01-02T03:04:05']).tz_localize('UTC')
t = t.tz_convert(None).strftime('%Y-%m-%d')
t = pd.to_datetime(['2024-131'], format='%Y-%j') + pd.to_timedelta(1.5, unit='s') + pd.offsets.MonthBegin(1)
t = pd.date_range('2024-01-01', periods=3, freq='MS')
c = pd.cut(df['x'], 3).value_counts()
c = df.sort_values('x').drop_duplicates().corr()
c = str(df) + repr(df['x']) + f"{1.5:.3g}" + repr(np.arange(3.0)) + str(df.index[0])
q = df.quantile([0.1, 0.9]).stack().unstack().melt()
e = np.linalg.eigh(np.cov(df.to_numpy().T))
f, d = signal.welch(df['x'].to_numpy(), fs=1.0, nperseg=32)
f, t, S = signal.spectrogram(df['x'].to_numpy(), fs=1.0, nperseg=32)
b = signal.sosfiltfilt(signal.butter(3, 0.1, output='sos'), df['x'].to_numpy())
b = signal.detrend(signal.savgol_filter(signal.medfilt(df['x'].to_numpy(), 5), 7, 2))
b = signal.find_peaks(b)[0], signal.hilbert(b), signal.decimate(b, 2), signal.resample(b, 50)
w = pywt.wavedec(df['x'].to_numpy(), 'db4'), pywt.cwt(df['x'].to_numpy(), np.arange(1, 4), 'morl')
a = xr.DataArray(df.to_numpy(), dims=('time', 'dim1'), coords={'time': df.index, 'dim1': [1.0, 2.0, 3.0]})
a = a.mean('dim1').resample(time='10s').mean().rolling(time=3).mean().interp(time=df.index).to_pandas()
result = df
"""


def main() -> None:
    """Give up all rights, then answer requests on the socket until the other process closes it."""
    lacking = _fix_addresses()
    server = socket.socket(fileno=int(sys.argv[1]))
    lacking |= _enter_own_world(server)
    if "--cold" not in sys.argv:
        _import()
        _warm_up()
    _forget_user()
    os.environ.clear()  # only now: libraries read in it, when they are loaded, that they are to have one thread
    space = isolation.address_space()
    nothing = os.open("/dev/null", os.O_RDWR)
    _give_up_rights(lacking)
    try:
        filtered = call_filter()
    except KeyError as error:
        filtered, lacking[FILTER] = b"", f"helio has no list of system calls for {error}"
    zygote = _Zygote(server, nothing, filtered, space)
    lacking |= zygote.try_out()
    gc.collect()
    gc.freeze()
    with contextlib.suppress(BrokenPipeError):  # nobody waits any more
        server.send(json.dumps({"lacking": lacking}).encode())
        zygote.serve()


def _import() -> None:
    for name in (*_MODULES, "helio.steps.sandbox.exchange"):
        importlib.import_module(name)
    for package in map(importlib.import_module, _PACKAGES):
        _import_all(package)


def _import_all(package: ModuleType) -> None:
    """Import all modules of a package, except its tests and modules that need a library that is not installed."""
    for submodule in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if submodule.name.rpartition(".")[2] in _LEFT_OUT:
            continue
        try:
            module = importlib.import_module(submodule.name)
        except ImportError:  # of an optional dependency: numba, dask
            continue
        if submodule.ispkg:
            _import_all(module)


def _warm_up() -> None:
    """Call the functions that code will call, to load the modules that these functions import at first use."""
    import warnings

    import numpy as np
    import pandas as pd

    from helio.steps.sandbox.exchange import pack, pack_result, unpack
    from helio.store.table import Table

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    random.seed(0)
    np.random.seed(0)  # the one that code could reach behind our back
    epoch = np.datetime64("2024-01-01", "ns") + np.arange(300) * np.timedelta64(1, "s")
    values = np.sin(np.arange(900.0)).reshape(300, 3)
    scope = unpack(pack([("B", Table(epoch, values, components=("x", "y", "z")))]))
    scope |= operation.modules_in_scope()
    exec(compile(_WARM_UP, operation.FILENAME, "exec"), scope)
    for result in (scope["result"], scope["result"]["x"], scope["a"].to_xarray(), pd.DataFrame({"a": ["x"]})):
        pack_result(result, SandboxLimits(), io.BytesIO())


def _fix_addresses() -> dict[str, str]:  # noqa: RET503 - what is begun again does not come back
    """Start this program again with fixed memory addresses; return the reason if this is not possible."""
    try:
        if isolation.has_fixed_addresses():
            return {}
        if _AGAIN in sys.argv:
            return {ADDRESSES: "the kernel still uses random addresses"}
        isolation.fix_addresses()
    except OSError as error:
        return {ADDRESSES: str(error)}
    program = [sys.executable, "-P", "-m", "helio.steps.sandbox.zygote", *sys.argv[1:], _AGAIN]
    os.execv(sys.executable, program)


def _forget_user() -> None:
    """Remove all paths of the user from Python's settings, where the code could read them."""
    sys.argv[:] = sys.orig_argv[:] = sys.path[:] = []
    site.USER_SITE = site.USER_BASE = None


def _enter_own_world(server: socket.socket) -> dict[str, str]:
    """Continue in a new process, the first of its own process namespace; if it ends, all others in the namespace end.

    Before any import, for some start threads, and no process with threads can have a user namespace of its own.
    """
    lacking: dict[str, str] = {}
    is_root = os.geteuid() == 0
    try:
        isolation.enter_namespaces()
        isolation.forget_host()
    except OSError as error:
        lacking[NAMESPACES] = str(error)
    if is_root and os.geteuid() != 0:
        lacking[IDENTITY] = "the process is still root in a container"
    child = os.fork()
    if child:  # waits for the other, whose end is its own, and holds nothing
        server.close()
        _, status = os.waitpid(child, 0)
        os._exit(0 if status == 0 else 1)
    isolation.die_with_parent()
    return lacking


def _give_up_rights(lacking: dict[str, str]) -> None:
    """Give up files, user identity and privileges; add to `lacking` what could not be given up, with the reason."""
    for part, steps in (
        (NAMESPACES, (isolation.leave_files,)),
        (LANDLOCK, (isolation.refuse_files,)),
        (IDENTITY, (isolation.become_nobody,)),
        (LIMITS, (isolation.drop_capabilities, isolation.forbid_new_privileges, isolation.hide_memory)),
    ):
        if part in lacking:
            continue
        try:
            for step in steps:
                step()
        except OSError as error:
            lacking[part] = str(error)
    isolation.die_with_parent()  # another identity has forgotten it


class _Zygote:
    """The parent process, which starts a child process for each operation.

    Parameters
    ----------
    nothing : int
        The descriptor of /dev/null.
    filtered : bytes
        The filter of system calls.
    space : int
        Bytes of address space that the imports have mapped.
    """

    def __init__(self, server: socket.socket, nothing: int, filtered: bytes, space: int) -> None:
        self._server = server
        self._space = space
        self._nothing = nothing
        self._filter = filtered
        self._clock: TimeFunctions | None = find_clock()

    def try_out(self) -> dict[str, str]:
        """Set up each protection once and try to break it; return the protections that do not work, with reasons."""
        lacking: dict[str, str] = {}
        if not self._filter:
            return lacking
        for part, attempt in (
            (LIMITS, self._run_into_limits),
            (FILTER, self._run_into_filter),
            (CLOCK, self._run_into_clock),
        ):
            problem = _in_child(attempt)
            if problem:
                lacking[part] = problem
        if CLOCK in lacking:
            self._clock = None
        return lacking

    def _run_into_limits(self) -> None:
        isolation.limit_resources(SandboxLimits(), self._space + (64 << 20))
        try:
            bytearray(256 << 20)
        except MemoryError:
            return
        raise OSError("the limit of memory has no effect")

    def _run_into_filter(self) -> None:
        isolation.refuse_calls(self._filter)
        held: list[str] = []
        attempts: dict[str, Callable[[], object]] = {
            "opens a file": lambda: os.open("/", os.O_RDONLY),
            "makes a socket": socket.socket,
            "starts a process": os.fork,
            "sends a signal": lambda: os.kill(os.getpid(), 0),
            "takes random numbers": lambda: os.getrandom(1),
        }
        for what, attempt in attempts.items():
            try:
                attempt()
            except PermissionError:
                held.append(what)
        if len(held) < len(attempts):
            raise OSError(f"code still {', '.join(attempt for attempt in attempts if attempt not in held)}")

    def _run_into_clock(self) -> None:
        if self._clock is not None:
            stop_clock(self._clock)
        isolation.refuse_calls(self._filter)
        try:
            time.time()
        except PermissionError:
            return
        raise OSError("helio cannot stop the code of a pipeline from reading the clock")

    def serve(self) -> NoReturn:
        """Answer requests until the other process closes the socket."""
        while True:
            message, descriptors, _, _ = socket.recv_fds(self._server, _LONGEST_MESSAGE, 2)
            if not message:
                os._exit(0)
            answer = self._operate(json.loads(message), descriptors)
            self._server.send(json.dumps(answer).encode())

    def _operate(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        packed, result = descriptors
        reading, status = os.pipe()
        space = self._space + request["limits"]["memory"]
        child = os.fork()
        if child == 0:
            operation.run(request, (self._nothing, packed, result, status), self._filter, space, self._clock)
        for descriptor in (packed, result, status):
            os.close(descriptor)
        deadline = time.monotonic() + request["limits"]["wall_seconds"]
        answer = self._wait(child, reading, deadline)
        os.close(reading)
        self._leave_nobody()
        return answer

    def _wait(self, child: int, reading: int, deadline: float) -> dict[str, Any]:
        """Wait until a child process ends, or kill it at the deadline; return its output, or how it ended."""
        watched = os.pidfd_open(child)
        poll = select.poll()
        poll.register(watched, select.POLLIN)
        poll.register(reading, select.POLLIN)
        poll.register(self._server, select.POLLRDHUP)
        output, late = b"", False
        while True:
            left = deadline - time.monotonic()
            ready = dict(poll.poll(max(0.0, left) * 1000))
            if self._server.fileno() in ready:
                os._exit(0)  # nobody waits for the answer; the child dies with us
            if reading in ready:
                some = os.read(reading, _LONGEST_STATUS)
                output += some
                if len(output) > _LONGEST_STATUS:
                    os.kill(child, signal.SIGKILL)  # nothing of ours talks so much
                if not some or len(output) > _LONGEST_STATUS:
                    poll.unregister(reading)
            if watched in ready:
                break
            if not ready:
                late = True
                os.kill(child, signal.SIGKILL)
                break
        _, status = os.waitpid(child, 0)
        os.close(watched)
        os.set_blocking(reading, False)
        with contextlib.suppress(BlockingIOError):
            output += os.read(reading, _LONGEST_STATUS)
        if late:
            return {"late": True}
        if os.WIFSIGNALED(status):
            return {"signal": os.WTERMSIG(status)}
        return {"said": output[:_LONGEST_STATUS].decode(errors="replace")}

    def _leave_nobody(self) -> None:
        """End processes that a child process may have started; none should be able to start any."""
        if os.getpid() != 1:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)  # of process 1 of a world: everybody else in it
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)


def _in_child(attempt: Any) -> str:
    """Run a test in a new child process; return what went wrong, or an empty text."""
    reading, tell = os.pipe()
    child = os.fork()
    if child == 0:
        output = ""
        try:
            attempt()
        except OSError as error:
            output = str(error)
        finally:
            os.write(tell, output.encode())
            os._exit(0)
    os.close(tell)
    wrong = os.read(reading, _LONGEST_STATUS).decode()
    os.close(reading)
    _, status = os.waitpid(child, 0)
    return wrong or ("" if status == 0 else f"the test was ended by signal {status}")


if __name__ == "__main__":
    main()
