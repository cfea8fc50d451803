"""Random programs against the sandbox, without end: no escape, no hang, no crash of what runs them.

    python scripts/fuzz_sandbox.py --minutes 5

Three kinds of program, all of them run with the allow-list switched off and the last also read by it: pieces of attacks
and of ordinary operations put together at random, attacks from a file with random changes, and random system calls
with random arguments. After each one it is looked whether anything was written or read that must not be, whether the
parent of the jail still lives, and whether an operation gives what it always gives. What the allow-list passes has to
give a table or a typed error. It ends at the first violation, with the program; else it prints what it did.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import socket
import tempfile
import time
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from helio.errors import BadResult, CodeFailed, CodeRefused, StepError
from helio.steps.compute.custom_operation import custom_operation
from helio.steps.sandbox.allow_list import MEMBERS, METHODS, refusals
from helio.steps.sandbox.jail import Jail
from helio.steps.sandbox.limits import SandboxLimits
from helio.steps.signature import Code
from helio.steps.tool import LabelledTable
from helio.store.table import Table

DATA = Path(__file__).parents[1] / "tests" / "data"
SECRET = "the-secret-of-the-fuzzer"
EPOCH = np.datetime64("2024-01-01", "ns") + np.arange(200) * np.timedelta64(1, "s")
TABLE = Table(EPOCH, np.random.default_rng(1).normal(size=(200, 3)), "nT", "B", "GSE", ("x", "y", "z"))
ROOTS = (
    "df",
    "df['x']",
    "df.values",
    "df.index",
    "np",
    "pd",
    "xr",
    "signal",
    "pywt",
    "pd.compat.sys.modules",
    "pd.io.common.os",
    "(lambda: 0).__globals__",
    "().__class__.__base__.__subclasses__()",
    "np.zeros(1).ctypes._ctypes",
)
_HOSTILE = """
    open('{F}').read() system('id>{D}/x') fork() kill(1,9) kill(-1,9) kill(0,9) _exit(0) abort() urandom(9) listdir('/')
    execv('/bin/sh',['sh']) popen('id') memfd_create('x') pipe() dup(0) dup2(4,5) closerange(0,99) write(5,b'{}')
    write(4,b'x'*999) ftruncate(4,10**12) lseek(4,10**12,0) read(3,9) setuid(0) nice(5) getppid() __class__ __globals__
    __builtins__ __subclasses__() __reduce__() __init__ f_back gi_frame to_csv('{D}/y') to_pickle('{D}/z')
    tofile('{D}/a') dump('{D}/b') ctypes base strides data
"""
HOSTILE = tuple(_HOSTILE.split())


def programs(attacks: list[str], ordinary: list[str]) -> st.SearchStrategy[str]:
    """All three kinds."""
    numbers = st.one_of(st.integers(-(2**63), 2**63), st.floats(), st.sampled_from([0, 1, -1, 10**9]))
    listed = st.sampled_from(sorted(METHODS) + [name for names in MEMBERS.values() for name in names])
    attribute = st.one_of(listed, listed, st.sampled_from(HOSTILE))
    arguments = st.lists(st.one_of(numbers.map(repr), st.sampled_from(ROOTS)), max_size=3).map(", ".join)
    expression = st.tuples(
        st.sampled_from(ROOTS),
        st.lists(st.tuples(attribute, st.booleans(), arguments), min_size=1, max_size=4),
    ).map(
        lambda one: (
            one[0] + "".join(f".{name}({args})" if call else f".{name}" for name, call, args in one[1])
        )
    )
    statement = st.one_of(
        expression.map("x = {}".format),
        expression.map("result = {}".format),
        st.tuples(expression, expression).map(lambda two: f"for i in {two[0]}: y = {two[1]}"),
        expression.map("try:\n    {}\nexcept BaseException: pass".format),
        st.sampled_from(attacks + ordinary),
    )
    random = st.lists(statement, min_size=1, max_size=5).map(lambda lines: "\n".join([*lines, "result = df"]))
    calls = st.tuples(
        st.integers(0, 500),
        st.lists(st.one_of(numbers.filter(lambda n: isinstance(n, int)), st.integers(0, 64)), max_size=6),
    )
    texts = st.one_of(st.text(max_size=3), attribute, st.sampled_from("()[]{}.,:='0123456789\n"))
    changes = st.lists(st.tuples(st.floats(0, 1), texts), min_size=1, max_size=4)
    system = st.lists(calls, min_size=1, max_size=20).map(_system_calls)
    return st.one_of(random, st.tuples(st.sampled_from(attacks + ordinary), changes).map(_changed), system)


def _changed(one: tuple[str, list[tuple[float, str]]]) -> str:
    """A program with some of its characters replaced."""
    code, changes = one
    for where, text in changes:
        at = int(where * len(code))
        code = code[:at] + text + code[at + len(text) :]
    return code


def _system_calls(calls: list[tuple[int, list[int]]]) -> str:
    lines = ["c = pd.compat.sys.modules['ctypes']", "f = c.CDLL(None).syscall"]
    for number, values in calls:
        given = ", ".join(f"c.c_long({value & (2**64 - 1)})" for value in values)
        lines.append(f"f(c.c_long({number}){', ' if given else ''}{given})")
    return "\n".join([*lines, "result = df"])


class Fuzz:
    """One run of the fuzzer."""

    def __init__(self, jail: Jail, folder: Path, listener: socket.socket) -> None:
        self.jail, self.folder, self.listener = jail, folder, listener
        self.counts: collections.Counter[str] = collections.Counter()
        self.longest = 0.0
        self.expected = TABLE.values.mean(axis=1)

    def check(self, program: str) -> None:
        """Run one program, and see what it did."""
        code = program.replace("{F}", f"{self.folder}/secret").replace("{D}", f"{self.folder}/out")
        code = code.replace("{SECRET_FILE}", f"{self.folder}/secret").replace(
            "{OUTSIDE_DIR}", str(self.folder)
        )
        parent = self.jail._zygote._process.pid if self.jail._zygote else None
        begun = time.monotonic()
        told = self._run(code)
        seconds = time.monotonic() - begun
        self.longest = max(self.longest, seconds)
        violations = {
            "it was told the secret": SECRET in told,
            "it wrote a file": any((self.folder / "out").iterdir()),
            "it connected": self._somebody_called(),
            "it hung": seconds > 60,
            "the parent died": parent is not None
            and (self.jail._zygote is None or self.jail._zygote._process.pid != parent),
        }
        after = self.jail.run("result = df.mean(axis=1)", [("B", TABLE)])
        violations["the next operation differs"] = after.values is None or not np.array_equal(
            after.values[:, 0], self.expected
        )
        wrong = [what for what, happened in violations.items() if happened]
        if wrong:
            raise AssertionError(f"{', '.join(wrong)}: {code!r}")
        self._through_the_tool(code)

    def _run(self, code: str) -> str:
        try:
            found = repr(self.jail.run(code, [("B", TABLE)]))
        except (CodeFailed, BadResult) as error:
            found = f"{type(error).__name__}: {error.message.partition(':')[0]}"
            self.counts[found if len(found) < 80 else type(error).__name__] += 1
            return str(error)
        self.counts["gave something"] += 1
        return found

    def _through_the_tool(self, code: str) -> None:
        if refusals(code, ("df", "df_B", "da", "da_B")):
            self.counts["refused by the allow-list"] += 1
            return
        self.counts["passed the allow-list"] += 1
        try:
            custom_operation(self.jail, [LabelledTable("X.B", TABLE)], pandas_code=Code(code))
        except (CodeRefused, CodeFailed, BadResult, StepError):
            return
        self.counts["gave a table"] += 1

    def _somebody_called(self) -> bool:
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True


def main() -> None:
    """Run for as long as was asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    asked = parser.parse_args()
    attacks = [one["code"] for one in json.loads((DATA / "sandbox_attacks.json").read_text())["attacks"]]
    ordinary = json.loads((DATA / "sandbox_legitimate.json").read_text())["snippets"]
    limits = SandboxLimits(cpu_seconds=1, wall_seconds=10, memory=256 << 20, output=32 << 20)
    with tempfile.TemporaryDirectory() as name, socket.socket() as listener, Jail(limits=limits) as jail:
        folder = Path(name)
        (folder / "out").mkdir()
        (folder / "secret").write_text(SECRET)
        for one in (folder, folder / "out", folder / "secret"):
            one.chmod(0o777)  # so that only the jail stands before them
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 5997))
        listener.listen()
        listener.setblocking(False)
        fuzz = Fuzz(jail, folder, listener)
        jail.parts()
        open_before = len(os.listdir("/proc/self/fd"))
        begun = time.monotonic()
        rounds = 0
        while time.monotonic() < begun + asked.minutes * 60:

            @seed(asked.seed + rounds)
            @settings(
                max_examples=200,
                deadline=None,
                database=None,
                phases=(Phase.generate,),
                suppress_health_check=list(HealthCheck),
            )
            @given(programs(attacks, ordinary))
            def one_round(program: str) -> None:
                if time.monotonic() < begun + asked.minutes * 60:
                    fuzz.check(program)

            one_round()
            rounds += 1
        seconds = time.monotonic() - begun
        left = len(os.listdir("/proc/self/fd")) - open_before
    print(f"seed {asked.seed}: {rounds} rounds in {seconds:.0f} s, longest {fuzz.longest:.1f} s")
    print(f"no violation; descriptors left open: {left}")
    for what, count in fuzz.counts.most_common():
        print(f"{count:7}  {what}")


if __name__ == "__main__":
    main()
