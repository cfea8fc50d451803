"""The list of what code in a template may use; helio checks code by reading it, before anything runs.

A block-list cannot work: hundreds of paths without any underscore lead from pandas, numpy and scipy to the operating
system. So everything is refused that is not listed here: kinds of syntax, names, members of modules, methods. The
list is the first protection; accepted code runs in a jail, which is the second.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from helio.limits import LIMITS

LONGEST = LIMITS.argument_text
MOST_NODES = 4_000
DEEPEST = 60
_LARGEST = 10**8
"""The largest size of an array, a range or a repetition, if the code states the size as a number."""
_LARGEST_NUMBER = 10**18
"""The largest integer that code may contain; times in ns since 1970 are about as large."""
_BEYOND = 10**40
"""Larger numbers count as infinite."""


@dataclass(frozen=True)
class Refusal:
    """A part of the code that is not allowed, with the reason and the number of the line."""

    message: str
    line: int = 0

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STATEMENTS = (
    ast.Module,
    ast.Expr,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Delete,
    ast.If,
    ast.For,
    ast.FunctionDef,
    ast.Return,
    ast.Raise,
    ast.With,
    ast.withitem,
    ast.Pass,
    ast.Break,
    ast.Continue,
)
_EXPRESSIONS = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.Constant,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.UnaryOp,
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.Call,
    ast.keyword,
    ast.IfExp,
    ast.Lambda,
    ast.arguments,
    ast.arg,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.GeneratorExp,
    ast.comprehension,
    ast.Starred,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.expr_context,
)
NODES = (*_STATEMENTS, *_EXPRESSIONS)
"""Kinds of syntax that code may use: no import, class, try, while, match, decorator, yield, await, walrus or global."""

BUILTINS = _words(
    "abs all any bool dict enumerate filter float int isinstance len list map max min range reversed "
    "round set slice "
    "sorted str sum tuple zip"
)
_ERRORS = _words("ValueError")
MODULES = _words("pd np xr signal pywt")

MEMBERS: dict[str, frozenset[str]] = {
    "pd": _words(
        "DataFrame Series Index DatetimeIndex Timestamp Timedelta TimedeltaIndex RangeIndex NaT NA "
        "to_datetime "
        "to_timedelta to_numeric date_range timedelta_range concat merge merge_asof cut qcut isna notna "
        "isnull notnull "
        "unique factorize Grouper MultiIndex IntervalIndex Interval DateOffset"
    ),
    "pd.offsets": _words(
        "Nano Micro Milli Second Minute Hour Day Week MonthBegin MonthEnd YearBegin YearEnd"
    ),
    "pd.DataFrame": _words("from_dict from_records"),
    "np": _words(
        "array asarray arange linspace logspace geomspace zeros ones full zeros_like ones_like full_like "
        "nan inf pi e "
        "newaxis sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 "
        "sinh cosh tanh "
        "arcsinh arccosh arctanh deg2rad rad2deg radians degrees hypot abs absolute fabs sign floor ceil "
        "round rint "
        "trunc clip minimum maximum fmin fmax mean median std var sum prod cumsum cumprod diff gradient "
        "nanmean "
        "nanmedian nanstd nanvar nansum nanmin nanmax nanprod nancumsum nanpercentile nanquantile "
        "percentile quantile "
        "min max amin amax ptp argmin argmax nanargmin nanargmax argsort sort unique searchsorted where "
        "select nonzero "
        "flatnonzero isnan isfinite isinf isnat isclose allclose nan_to_num any all logical_and "
        "logical_or logical_not "
        "logical_xor dot cross inner outer matmul einsum vdot trace transpose reshape ravel concatenate "
        "stack vstack "
        "hstack dstack column_stack split array_split tile repeat roll flip fliplr flipud rot90 squeeze "
        "expand_dims "
        "atleast_1d atleast_2d moveaxis swapaxes broadcast_to interp convolve correlate corrcoef cov "
        "polyfit polyval "
        "poly1d histogram histogram2d bincount digitize trapezoid cumulative_trapezoid unwrap angle real "
        "imag conj "
        "power square reciprocal mod remainder divmod fmod float_power float16 float32 float64 int8 "
        "int16 int32 int64 "
        "uint8 uint16 uint32 uint64 complex64 complex128 bool_ datetime64 timedelta64 isin intersect1d "
        "union1d "
        "setdiff1d meshgrid apply_along_axis vectorize diag eye identity triu tril count_nonzero average "
        "ndim shape "
        "size bitwise_and bitwise_or invert heaviside sinc hanning hamming blackman bartlett kaiser i0 take "
        "take_along_axis delete insert append pad add subtract multiply divide true_divide floor_divide "
        "negative equal "
        "not_equal less less_equal greater greater_equal errstate nextafter signbit copysign ldexp frexp"
    ),
    "np.linalg": _words(
        "norm eig eigh eigvals eigvalsh svd inv pinv solve lstsq det matrix_rank qr cholesky"
    ),
    "np.fft": _words("fft ifft rfft irfft fftfreq rfftfreq fftshift ifftshift fft2 ifft2"),
    "np.random": _words("default_rng"),
    "np.add": _words("reduce reduceat accumulate"),
    "np.maximum": _words("reduce reduceat accumulate"),
    "np.minimum": _words("reduce reduceat accumulate"),
    "xr": _words("DataArray concat where"),
    "signal": _words(
        "welch periodogram csd coherence spectrogram stft istft ShortTimeFFT lombscargle butter cheby1 "
        "cheby2 ellip "
        "bessel firwin firwin2 filtfilt sosfiltfilt sosfilt lfilter sosfreqz freqz detrend find_peaks "
        "find_peaks_cwt "
        "peak_widths peak_prominences savgol_filter medfilt wiener hilbert envelope decimate resample "
        "resample_poly "
        "convolve correlate correlation_lags fftconvolve oaconvolve get_window iirnotch iirpeak "
        "argrelextrema "
        "argrelmin argrelmax sosfilt_zi lfilter_zi chirp gausspulse sawtooth square"
    ),
    "signal.windows": _words(
        "hann hamming blackman blackmanharris kaiser gaussian tukey boxcar dpss flattop nuttall parzen "
        "bartlett cosine "
        "get_window"
    ),
    "signal.ShortTimeFFT": _words("from_window"),
    "pywt": _words(
        "wavedec waverec dwt idwt swt iswt cwt downcoef upcoef threshold Wavelet ContinuousWavelet "
        "scale2frequency "
        "central_frequency dwt_max_level swt_max_level wavelist dwt_coeff_len"
    ),
}
"""Allowed members of modules, by the module's name; a module inside a module is a key too, but is no allowed value."""
_SUBMODULES = _words("pd.offsets np.linalg np.fft np.random signal.windows")

METHODS = _words(
    "abs add add_prefix add_suffix agg aggregate align all any append apply applymap argmax argmin "
    "argsort as_unit asfreq asi8 asof assign astype at at_time between between_time bfill ceil clip "
    "columns combine combine_first compare conj conjugate contains coords copy corr corrwith count cov "
    "cumcount cummax cummin cumprod cumsum date day day_of_week day_of_year dayofweek dayofyear days "
    "delta_f delta_t describe diagonal diff difference dims div divide dot drop drop_duplicates drop_vars "
    "droplevel dropna dt dtype dtypes duplicated empty endswith eq equals ewm expanding explode "
    "exponential extend extract f ffill fft fill fillna filter first first_valid_index flatten floor "
    "floordiv freq freqstr ge get get_group get_indexer get_level_values groupby gt head hour iat idxmax "
    "idxmin ifft iloc imag index infer_objects inferred_freq insert integers interpolate intersection "
    "is_monotonic_decreasing is_monotonic_increasing is_unique isel isfinite isin isna isnull isocalendar "
    "isoformat istft item items iterrows itertuples join keys kurt kurtosis last last_valid_index le left "
    "length level loc lower lstrip lt mad map mask max mean median melt merge microsecond microseconds "
    "mid min minute mod mode month mul multiply name names nanosecond nanoseconds nbytes ndim ne nlargest "
    "nonzero normal normalize notna notnull nsmallest nunique ohlc pad pct_change permutation pipe pivot "
    "pivot_table poisson pop pow prod product ptp quantile quarter radd rank ravel rdiv real reindex "
    "reindex_like rename rename_axis reorder_levels repeat replace resample reset_index reshape reverse "
    "rfloordiv right rmod rmul rolling round rpow rsplit rstrip rsub rtruediv sample second seconds sel "
    "select_dtypes sem set_axis set_index set_names setdefault shape shift size skew snap sort sort_index "
    "sort_values spectrogram split squeeze stack standard_normal startswith std stft str strftime strip "
    "sub subtract sum swapaxes swaplevel T t tail take time timestamp to_dict to_flat_index to_frame "
    "to_list to_numpy to_pandas to_period to_pydatetime to_series to_timestamp tolist total_seconds trace "
    "transform transpose truediv truncate tz tz_convert tz_localize uniform union unique unstack update "
    "upper value value_counts values var week weekday where win_type xs year zfill"
)
"""Allowed methods and attributes of tables, arrays and texts: none of them reads or writes files, or runs code."""

_DISPATCHING = _words("agg aggregate apply applymap transform pipe")
"""Methods that call a function that they get as an argument, or a method that they get by name."""
_BESIDE = _words(
    "axis raw result_type min_periods numeric_only args skipna na_action convert_dtype by_row include_groups"
)
"""Arguments of the methods in `_DISPATCHING` that are not functions."""
REDUCTIONS = _words(
    "mean median sum std var min max first last count nunique prod sem skew kurt size any all idxmin "
    "idxmax cumsum cummax cummin cumprod diff ffill bfill rank pct_change quantile ohlc"
)
"""Reductions whose names the methods in `_DISPATCHING` may get as an argument."""
_STORED = _words("columns index name")
_REFUSED_ARGUMENTS = _words("engine engine_kwargs like")
_CLOCK = _words("now today")
_SIZED = _words("ones zeros full arange linspace logspace geomspace eye identity tile repeat")
_IN_PLACE = _DISPATCHING | _words("sample pivot_table")
"""Methods whose arguments the check reads, so code must call them directly: ``df.apply(…)``."""
_PARSERS = _words("pd.Timestamp pd.to_datetime pd.DatetimeIndex pd.date_range np.datetime64")
"""Functions that read a time from a text."""
_CALLED_IN_PLACE = (
    _PARSERS
    | _words("pd.DataFrame pd.Series pd.Index pd.MultiIndex xr.DataArray pd.DataFrame.from_dict")
    | _words("pd.DataFrame.from_records np.random.default_rng")
    | {f"np.{maker}" for maker in _SIZED}
)
"""Functions and classes whose arguments the check reads, so code must call them directly."""
_TAKES_ANY_KEYWORD = _words("assign")
"""Methods that accept any keyword argument, because the keywords are names of columns."""
_REDUCED = _words("sum prod mean std var min max any all nansum nanmean amin amax")
"""Functions that return a defined result if called with ``where=`` and without ``out=``."""
_DURATIONS = _words("between_time at_time")
_OF_DURATIONS = _words("pd.Timedelta pd.to_timedelta pd.TimedeltaIndex pd.timedelta_range np.timedelta64")
_TIME_OF_DAY = re.compile(r"\s*T?\d{1,2}:\d{1,2}(\D|$)")
_YEAR = re.compile(r"(?<!\d)\d{4}")
_FIRST_A_YEAR = re.compile(r"\d{4}(?!\d*:)")
_NO_TIMES = _words("unix julian start start_day end end_day epoch nat")
"""Texts that pandas accepts in place of a time, and that do not depend on the clock."""
_TEXT_METHODS = _words(
    "join replace lower upper strip lstrip rstrip split rsplit slice cat zfill strftime isoformat repeat "
    "pad str"
)
_CONTAINERS = _words("list tuple sorted set reversed str")
_CLASSES = _words("pd.DataFrame pd.Series pd.Index pd.MultiIndex xr.DataArray")
_LONGEST_CHAIN = _MOST_SOURCES = 20
"""The check follows at most this many assignments to find the text in a variable; then the sandbox blocks the clock."""
_GIVEN_TIMES = ("arg", "ts_input", "data", "start", "end")
_COLUMN = re.compile(r"[a-z]{1,2}|(?=.*[A-Z0-9])[A-Za-z]\w*", re.ASCII)
"""Pattern of column names that code may write as attributes; no object that code can use has such attributes."""
_NO_COLUMNS = _words("os io re gc id")

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (ast.FunctionDef, ast.Lambda, *_COMPREHENSIONS)


def refusals(code: str, inputs: Sequence[str] = ("df",), *, any_input: bool = False) -> list[Refusal]:
    """List the parts of code that are not allowed, with the reasons.

    Parameters
    ----------
    code : str
    inputs : sequence of str
        The names under which tables are in scope.
    any_input : bool
        Whether any ``df_…`` and ``da_…`` may be one of them, because the labels are known only in a run.

    Returns
    -------
    list of Refusal
        Empty when all of it is allowed.

    Examples
    --------
    >>> refusals("result = df.rolling('10min', center=True).mean()")
    []
    >>> [str(one) for one in refusals("result = pd.read_csv('/etc/passwd')")]
    ['line 1: pd.read_csv is not allowed (code cannot read files; use a fetch step)']
    """
    tree = _parsed(code)
    if isinstance(tree, Refusal):
        return [tree]
    return list(dict.fromkeys(_Checker(tree, inputs, any_input).found()))


def assigns_result(code: str) -> bool:
    """Return whether code assigns the variable ``result`` outside its functions; true for code that cannot be parsed.

    >>> assigns_result("x = df.abs()"), assigns_result("result = df.abs()")
    (False, True)
    """
    tree = _parsed(code)
    if isinstance(tree, Refusal):
        return True
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and node.id == "result" and isinstance(node.ctx, ast.Store):
            return True
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, _SCOPES)]
    return False


def input_names(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the input tables in code: ``df`` for the first table, and names made from the labels.

    >>> input_names(["AC_H2_MFI.BGSEc", "ACE_Bmag"])
    ('df', 'da', 'df_BGSEc', 'da_BGSEc', 'df_ACE_Bmag', 'da_ACE_Bmag')
    """
    suffixes = names_in_scope(labels)
    names = [f"{kind}_{suffix}" for suffix in suffixes for kind in ("df", "da")]
    return ("df", "da", *names) if suffixes else ()


def names_in_scope(labels: Iterable[str]) -> list[str]:
    """Return a Python name for each label: its last part, with the item of a mapped step if two names would be equal.

    >>> names_in_scope(["AC_H2_MFI.BGSEc[2024-01-10]", "B-5min"]), names_in_scope(["B[a]", "B[b]"])
    (['BGSEc', 'B_5min'], ['B_a_', 'B_b_'])
    """
    listed = list(labels)
    short = [re.sub(r"(?<=.)\[[^\]]*\]", "", label).rpartition(".")[2] for label in listed]
    full = [label.rpartition(".")[2] for label in listed]
    names = [whole if short.count(name) > 1 else name for name, whole in zip(short, full, strict=True)]
    return [re.sub(r"\W", "_", name) for name in names]


def syntax_tree(code: str) -> ast.Module:
    """Parse code without showing Python's syntax warnings.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError
        It is not Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(code)


def _parsed(code: str) -> ast.Module | Refusal:
    """Parse code into a syntax tree, after a check that the code is neither too long nor too deeply nested."""
    if len(code) > LONGEST:
        return Refusal(f"the code has {len(code)} characters, but at most {LONGEST} are allowed")
    try:
        tree = syntax_tree(code)
    except SyntaxError as error:
        return Refusal(f"the code is not valid Python: {error.msg}", error.lineno or 0)
    except (ValueError, RecursionError, MemoryError):
        return Refusal("the code is not valid Python")
    level: list[ast.AST] = [tree]
    count = depth = 0
    while level:
        count, depth = count + len(level), depth + 1
        if depth > DEEPEST:
            return Refusal("the code is nested too deeply")
        if count > MOST_NODES:
            return Refusal(f"the code is too long: it has more than {MOST_NODES} syntax elements")
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
    return tree


class _Checker:
    """The check of one piece of code against the list of allowed names."""

    def __init__(self, tree: ast.Module, inputs: Sequence[str], any_input: bool) -> None:
        self.nodes = list(ast.walk(tree))
        self.any_input = any_input
        self.owners = {id(node.value): node for node in self.nodes if isinstance(node, ast.Attribute)}
        self.called = {id(node.func) for node in self.nodes if isinstance(node, ast.Call)}
        self.types, self.dtypes = self._types()
        self.sources = self._sources()
        self.text: dict[int, bool] = {}
        self.year_first: dict[int, bool] = {}
        self.need_no_date = self._without_date()
        self.functions = self._local_functions()
        self.bound = {*inputs, "result", *BUILTINS, *MODULES, *_ERRORS}
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.bound.add(node.id)
            elif isinstance(node, ast.arg):
                self.bound.add(node.arg)
            elif isinstance(node, ast.FunctionDef):
                self.bound.add(node.name)

    def found(self) -> Iterator[Refusal]:
        """Return all parts of the code that are not allowed, in the order of the syntax tree."""
        for node in self.nodes:
            for message in self._node(node):
                yield Refusal(message, getattr(node, "lineno", 0))
        yield from self._recursion()

    def _node(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.alias):
            return  # of an import, which is refused already
        if not isinstance(node, NODES):
            yield f"{_kind(node)} is not allowed{_advice(node)}"
        elif isinstance(node, ast.Name):
            yield from self._name(node)
        elif isinstance(node, ast.arg):
            yield from self._new_name(node.arg)
        elif isinstance(node, ast.FunctionDef):
            yield from self._new_name(node.name)
            if node.decorator_list:
                yield "a decorator is not allowed"
        elif isinstance(node, ast.Attribute):
            yield from self._attribute(node)
        elif isinstance(node, ast.Call):
            yield from self._call(node)
        elif isinstance(node, ast.Constant):
            yield from _constant(node)
            if (
                isinstance(node.value, str)
                and _TIME_OF_DAY.match(node.value)
                and id(node) not in self.need_no_date
            ):
                yield (
                    f"the time '{node.value.strip()}' has no date, so it would be a time of today: write the "
                    "date too"
                )
        elif isinstance(node, ast.Compare):
            yield from self._comparison(node)
        elif isinstance(node, ast.BinOp):
            yield from _operation(node)
        elif isinstance(node, ast.Delete):
            if not all(isinstance(target, (ast.Name, ast.Subscript)) for target in node.targets):
                yield "del may only remove names and items"
        elif isinstance(node, ast.With):
            if not _is_errstate(node):
                yield "a with statement may only use np.errstate(…), with each setting written as a literal"
        elif isinstance(node, ast.Raise):
            called = node.exc.func if isinstance(node.exc, ast.Call) else None
            if not (isinstance(called, ast.Name) and called.id in _ERRORS) or node.cause is not None:
                yield "raise may only raise ValueError(…)"

    # Names ----------------------------------------------------------------------------------------------------

    def _name(self, node: ast.Name) -> Iterator[str]:
        name = node.id
        if name.startswith("_") and name != "_":
            yield f"the name {name} is not allowed, because it starts with an underscore"
        elif name not in self.bound and not (self.any_input and re.match(r"d[fa]_", name)):
            yield f"the name {name} is not defined{_instead(name)}"
        elif name in MODULES and id(node) not in self.owners:
            yield f"the module {name} cannot be used as a value"
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            yield from self._new_name(name)

    def _new_name(self, name: str) -> Iterator[str]:
        if name in MODULES | BUILTINS | _ERRORS:
            yield f"the name {name} is reserved and cannot be assigned"
        elif name.startswith("_") and name != "_":
            yield f"the name {name} is not allowed, because it starts with an underscore"

    def _attribute(self, node: ast.Attribute) -> Iterator[str]:
        name = node.attr
        if name.startswith("_"):
            yield f".{name} is not allowed, because it starts with an underscore"
            return
        dotted = _dotted(node)
        stored = isinstance(node.ctx, (ast.Store, ast.Del))
        if stored and (dotted or name not in _STORED):
            yield f"the attribute {name} cannot be set" + (
                "" if dotted else f" (to set a column, write df['{name}'] = …)"
            )
        if dotted:
            yield from self._member(node, dotted)
        elif name in METHODS:
            if name in _IN_PLACE and id(node) not in self.called:
                yield f"the method {name} must be called directly on a table: df.{name}(…)"
        elif id(node) in self.called:
            yield f"the method {name} is not allowed{_instead(name)}"
        elif not stored and (not _COLUMN.fullmatch(name) or name in _NO_COLUMNS):
            yield f"the attribute {name} is not allowed (to select a column, write df['{name}'])"

    def _member(self, node: ast.Attribute, dotted: str) -> Iterator[str]:
        """Refuse members of modules and of their classes that are not in the list."""
        owner, _, name = dotted.rpartition(".")
        listed = MEMBERS.get(owner)
        if dotted in _SUBMODULES:
            if id(node) not in self.owners:
                yield f"the module {dotted} cannot be used as a value"
            return
        of_class = owner.count(".") == 1 and owner not in _SUBMODULES
        if listed is not None and name in listed:
            if dotted in _CALLED_IN_PLACE and not self._stands_in_place(node, dotted):
                yield f"{dotted} must be called directly: {dotted}(…)"
        elif name not in METHODS or (listed is not None and not of_class):
            yield f"{dotted} is not allowed{_instead(name)}"
        elif name in _IN_PLACE:
            yield f"the method {name} must be called on a table: df.{name}(…)"

    def _stands_in_place(self, node: ast.Attribute, dotted: str) -> bool:
        """Return whether an expression is called directly, belongs to a dotted name, or names a type."""
        return (
            id(node) in self.called
            or id(node) in self.owners
            or id(node) in self.types
            or (dotted == "np.datetime64" and id(node) in self.dtypes)
        )

    def _types(self) -> tuple[set[int], set[int]]:
        """Return the expressions that are types in an isinstance call, and those that are types of array elements."""
        types, dtypes = set(), set()
        for node in self.nodes:
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                types |= {id(inner) for argument in node.args[1:] for inner in ast.walk(argument)}
            dtypes |= {id(dtype) for dtype in _dtypes(node)}
        return types, dtypes

    def _sources(self) -> dict[str, list[ast.expr]]:
        """Return for each variable the expressions that the code assigns to it, as a whole or item by item."""
        sources: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            given: list[tuple[ast.expr, ast.expr]] = []
            if isinstance(node, ast.Assign):
                given = [(target, node.value) for target in node.targets]
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value is not None:
                given = [(node.target, node.value)]
            elif isinstance(node, (ast.For, ast.comprehension)):
                given = [(node.target, node.iter)]
            for target, value in given:
                for name, source in _named(target, value, isinstance(node, (ast.For, ast.comprehension))):
                    if len(sources.setdefault(name, [])) < _MOST_SOURCES:
                        sources[name].append(source)
        return sources

    def _without_date(self) -> set[int]:
        """Return the texts that safely contain no date: durations, times of day, and texts that follow a date."""
        inside: set[int] = set()
        for node in self.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                dotted = _dotted(node.func)
                needs_none = dotted in _OF_DURATIONS or (not dotted and node.func.attr in _DURATIONS)
                if needs_none or _is_written_time(node.func.value):
                    given = [*node.args, *(keyword.value for keyword in node.keywords)]
                    inside |= {id(inner) for argument in given for inner in _pieces(argument)}
            elif isinstance(node, (ast.BinOp, ast.JoinedStr)) and self._has_year_first(node):
                inside |= {id(inner) for inner in _pieces(node)}
            elif isinstance(node, ast.Compare):
                compared = [node.left, *node.comparators]
                if any(_is_written_time(side) for side in compared):
                    inside |= {id(inner) for side in compared for inner in _pieces(side)}
        read = [name for name in self.nodes if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)]
        named = {name.id for name in read if id(name) in inside}
        named -= {name.id for name in read if id(name) not in inside}
        for value in (source for name in named for source in self.sources.get(name, [])):
            inside |= {id(inner) for inner in _pieces(value)}
        return inside

    def _local_functions(self) -> dict[str, ast.FunctionDef | ast.Lambda]:
        """Return the functions whose names certainly refer to them: assigned once, and never a parameter."""
        stores = [
            name.id for name in self.nodes if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        ]
        stores += [argument.arg for argument in self.nodes if isinstance(argument, ast.arg)]
        stores += [function.name for function in self.nodes if isinstance(function, ast.FunctionDef)]
        functions: dict[str, ast.FunctionDef | ast.Lambda] = {}
        for node in self.nodes:
            if isinstance(node, ast.FunctionDef):
                functions[node.name] = node
            elif (
                isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda) and len(node.targets) == 1
            ):
                target = node.targets[0]
                if isinstance(target, ast.Name):
                    functions[target.id] = node.value
        return {name: function for name, function in functions.items() if stores.count(name) == 1}

    def _recursion(self) -> Iterator[Refusal]:
        """Refuse functions that call themselves, directly or through others, because they may never end."""
        named = {node.name: node for node in self.nodes if isinstance(node, ast.FunctionDef)} | self.functions
        calls = {
            name: {inner.id for inner in ast.walk(function) if isinstance(inner, ast.Name)} & named.keys()
            for name, function in named.items()
        }
        for name in named:
            reached: set[str] = set()
            waiting = list(calls[name])
            while waiting:
                function_name = waiting.pop()
                if function_name not in reached:
                    reached.add(function_name)
                    waiting += calls[function_name]
            if name in reached:
                yield Refusal(f"the function {name} calls itself", named[name].lineno)

    # Calls ----------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Iterator[str]:
        yield from self._arguments(node)
        if not isinstance(node.func, ast.Attribute):
            if isinstance(node.func, ast.Name) and node.func.id == "range":
                yield from _sizes(node)
            return
        name, dotted = node.func.attr, _dotted(node.func)
        if dotted == "np.random.default_rng" and not _is_seeded(node, "seed"):
            yield "random numbers need a seed: np.random.default_rng(1)"
        elif name == "sample" and not dotted and not _is_seeded(node, "random_state", positional=False):
            yield "a random sample needs a seed: random_state=1"
        elif dotted.startswith("np.") and name in _SIZED:
            yield from _sizes(node)
        elif name in _DISPATCHING and not dotted:
            yield from self._dispatching(node)
        elif name == "pivot_table":
            for argument in node.args[3:4]:
                yield from self._dispatched(argument)
        yield from self._time(node, dotted)

    def _arguments(self, node: ast.Call) -> Iterator[str]:
        """Refuse arguments that hide other arguments, such as ``**``, and those that change what a function does."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        is_own = isinstance(node.func, ast.Name) and (
            node.func.id == "dict" or node.func.id in self.functions
        )
        dotted = _dotted(node.func) if isinstance(node.func, ast.Attribute) else ""
        looked_at = name in _IN_PLACE or dotted in _CALLED_IN_PLACE
        if (looked_at and dotted not in _CLASSES) and any(
            isinstance(argument, ast.Starred) for argument in node.args
        ):
            yield "* and ** hide which function is called: write the arguments out"
        for keyword in node.keywords:
            if keyword.arg is None:
                if name in _IN_PLACE or not (is_own or (name in _TAKES_ANY_KEYWORD and not dotted)):
                    yield (
                        "* and ** hide which function is called: write the arguments out"
                        if name in _IN_PLACE
                        else ("** hides arguments: write each argument as name=value")
                    )
            elif keyword.arg in _REFUSED_ARGUMENTS:
                yield f"the argument {keyword.arg} is not allowed"
            elif keyword.arg == "aggfunc":
                yield from self._dispatched(keyword.value)
            elif keyword.arg == "where" and not is_own and name not in _REDUCED:
                out = [given.value for given in node.keywords if given.arg == "out"]
                if not out or (isinstance(out[0], ast.Constant) and out[0].value is None):
                    yield (
                        "where= without out= leaves values undefined: use np.where(…), or add "
                        "out=np.full_like(x, np.nan)"
                    )

    # Times ----------------------------------------------------------------------------------------------------

    def _time(self, node: ast.Call, dotted: str) -> Iterator[str]:
        """Refuse texts that pandas could complete with the present date: texts without a year, or made by code."""
        keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        given: list[ast.expr] = []
        if dotted in _PARSERS:
            # a format leaves nothing open; "mixed" is none
            formats = self._texts(keywords["format"], set()) if "format" in keywords else ()
            if not any("%" in text for text in formats):
                given = [*node.args[: 2 if dotted == "pd.date_range" else 1]]
                given += [keywords[name] for name in _GIVEN_TIMES if name in keywords]
            for text in (inner for argument in given for inner in self._texts(argument, set())):
                if not _YEAR.search(text) and text.strip().lower() not in _NO_TIMES and text.strip():
                    yield f"the time '{text}' has no year of four digits"
        elif any(self._is_time(dtype) for dtype in _dtypes(node)):
            given = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        if "origin" in keywords:
            given.append(keywords["origin"])
        if any(self._is_built(argument, set()) for argument in given):
            yield (
                "a time must be written in one piece between quotes, such as '2024-05-10 12:00', not made by an "
                "expression"
            )

    def _comparison(self, node: ast.Compare) -> Iterator[str]:
        ordered = any(isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for operator in node.ops)
        if ordered and any(self._is_built(side, set()) for side in (node.left, *node.comparators)):
            yield (
                "a text that an expression makes cannot be compared with a time: write "
                "pd.Timestamp('2024-05-10 12:00')"
            )

    def _is_time(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute):
            return _dotted(node) == "np.datetime64"
        return isinstance(node, ast.Constant) and bool(re.match(r"[<>=|]?M|datetime", str(node.value)))

    def _texts(self, node: ast.expr, seen: set[str]) -> Iterator[str]:
        """Yield the literal texts that an expression may be or may contain."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        else:
            for expression in self._same(node, seen):
                yield from self._texts(expression, seen)

    def _same(self, node: ast.expr, seen: set[str]) -> list[ast.expr]:
        """Return the expressions whose values an expression may take: values of a variable, items, or branches."""
        if isinstance(node, ast.Name) and node.id not in seen and len(seen) < _LONGEST_CHAIN:
            seen.add(node.id)
            return self.sources.get(node.id, [])
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return node.elts
        if isinstance(node, ast.IfExp):
            return [node.body, node.orelse]
        if isinstance(node, ast.BoolOp):
            return node.values
        if isinstance(node, ast.Starred):
            return [node.value]
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return [node.elt]
        if isinstance(node, ast.Call) and node.args:
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            dotted = _dotted(node.func) if isinstance(node.func, ast.Attribute) else ""
            if name in _CONTAINERS or dotted in ("np.array", "np.asarray", "pd.Series", "pd.Index"):
                return node.args[:1]
        return []

    def _is_built(self, node: ast.expr, seen: set[str]) -> bool:
        """Return whether an expression may contain a text that the code puts together, without a year at the start."""
        if len(seen) >= _LONGEST_CHAIN:
            return True  # nobody hands a time on so often
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.BinOp) and self._is_certainly_text(node)):
            return not self._has_year_first(node)
        if isinstance(node, ast.Subscript) and self._is_certainly_text(node.value):
            return True
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id == "str":
                return True
            if isinstance(function, ast.Attribute) and not _dotted(function):
                if function.attr in _TEXT_METHODS and self._is_certainly_text(function.value):
                    return True
                if self._is_built(function.value, seen):  # np.array([…]).astype(…)
                    return True
            taken_apart = isinstance(function, ast.Name) and function.id in _CONTAINERS
            if taken_apart and any(self._is_certainly_text(argument) for argument in node.args):
                return True
        return any(self._is_built(expression, seen) for expression in self._same(node, seen))

    def _is_certainly_text(self, node: ast.expr) -> bool:
        if id(node) not in self.text:
            self.text[id(node)] = self._is_text(node, set())
        return self.text[id(node)]

    def _has_year_first(self, node: ast.expr) -> bool:
        if id(node) not in self.year_first:
            self.year_first[id(node)] = self._begins_with_year(node, set())
        return self.year_first[id(node)]

    def _is_text(self, node: ast.expr, seen: set[str]) -> bool:
        """Return whether the value of an expression is certainly a text."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str)
        if isinstance(node, ast.JoinedStr):
            return True
        if isinstance(node, ast.BinOp):
            return self._is_text(node.left, seen) or self._is_text(node.right, seen)
        if isinstance(node, ast.Subscript):
            return self._is_text(node.value, seen)
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name):
                return function.id == "str"
            return (
                isinstance(function, ast.Attribute)
                and function.attr in _TEXT_METHODS
                and self._is_text(function.value, seen)
            )
        if isinstance(node, ast.Name) and node.id not in seen and len(seen) < _LONGEST_CHAIN:
            seen.add(node.id)
            return any(self._is_text(source, seen) for source in self.sources.get(node.id, []))
        return False

    def _begins_with_year(self, node: ast.expr, seen: set[str]) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str) and bool(_FIRST_A_YEAR.match(node.value))
        if isinstance(node, ast.JoinedStr):
            return bool(node.values) and self._begins_with_year(node.values[0], seen)
        if isinstance(node, ast.FormattedValue):
            return self._begins_with_year(node.value, seen)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._begins_with_year(node.left, seen)
        if isinstance(node, ast.Name) and node.id not in seen and len(seen) < _LONGEST_CHAIN:
            values = self.sources.get(node.id, [])
            seen.add(node.id)
            return bool(values) and all(self._begins_with_year(value, seen) for value in values)
        if isinstance(node, (ast.List, ast.Tuple)):
            return bool(node.elts) and all(self._begins_with_year(element, seen) for element in node.elts)
        return False

    # Functions that are handed on ------------------------------------------------------------------------------

    def _dispatching(self, node: ast.Call) -> Iterator[str]:
        if any(keyword.arg is None for keyword in node.keywords) or any(
            isinstance(argument, ast.Starred) for argument in node.args
        ):
            return  # refused already
        given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg not in _BESIDE)]
        if not given:
            yield "the method needs a function as an argument"
        for argument in given:
            yield from self._dispatched(argument)

    def _dispatched(self, node: ast.expr) -> Iterator[str]:
        """Refuse an argument unless it is the name of an allowed reduction, a lambda, or a known function."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and node.value not in REDUCTIONS:
                yield f"'{node.value}' is not an allowed reduction"
        elif isinstance(node, (ast.List, ast.Tuple)):
            # ('column', 'mean') names a column and what is done with it.
            named = (
                isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.elts[0], ast.Constant)
            )
            for element in node.elts[1:] if named else node.elts:
                yield from self._dispatched(element)
        elif isinstance(node, ast.Dict):
            if any(key is None for key in node.keys):
                yield "** in a call hides its arguments from helio: write each argument by its name"
            for value in node.values:
                yield from self._dispatched(value)
        elif not (
            isinstance(node, ast.Lambda)
            or (isinstance(node, ast.Attribute) and _dotted(node).startswith("np."))
            or (isinstance(node, ast.Name) and (node.id in self.functions or node.id in BUILTINS))
        ):
            yield "only the name of an allowed reduction, a lambda, a function of this code or np.… can be called here"


def _dotted(node: ast.Attribute) -> str:
    """Return the dotted name of a module's member, such as ``np.mean``; empty for an attribute of anything else."""
    parts = [node.attr]
    value: ast.expr = node.value
    while isinstance(value, ast.Attribute):
        parts.append(value.attr)
        value = value.value
    if isinstance(value, ast.Name) and value.id in MODULES:
        return ".".join([value.id, *reversed(parts)])
    return ""


def _kind(node: ast.AST) -> str:
    names = {
        "Import": "an import",
        "ImportFrom": "an import",
        "ClassDef": "a class",
        "Try": "a try statement",
        "TryStar": "a try statement",
        "While": "a while loop",
        "Match": "a match statement",
        "NamedExpr": "an assignment inside an expression",
        "Global": "a global statement",
        "Nonlocal": "a nonlocal statement",
        "Yield": "a generator function",
        "YieldFrom": "a generator function",
        "Assert": "an assert statement",
    }
    name = type(node).__name__
    return names.get(name, "asynchronous code" if name.startswith(("Async", "Await")) else f"{name}")


def _advice(node: ast.AST) -> str:
    """Return advice on what to write instead of a kind of syntax, such as an import."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        modules = (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        )
        known = [_IN_SCOPE[module] for module in modules if module in _IN_SCOPE]
        if known and len(known) == len(modules):
            return f" ({' and '.join(known)} can be used without an import)"
        return " (only pd, np, xr, signal and pywt can be used, without an import)"
    if isinstance(node, ast.While):
        return " (write a loop as for i in range(…))"
    if isinstance(node, ast.Try):
        return " (check beforehand with if)"
    return ""


def _named(target: ast.expr, value: ast.expr, in_turn: bool) -> Iterator[tuple[str, ast.expr]]:
    """Yield each variable of an assignment's target, with the expression that gives its value."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        items = value.elts if in_turn and isinstance(value, (ast.Tuple, ast.List)) else [value]
        for item in items:
            if isinstance(item, (ast.Tuple, ast.List)) and len(item.elts) == len(target.elts):
                for name, part in zip(target.elts, item.elts, strict=True):
                    yield from _named(name, part, False)


def _pieces(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and its parts, if the parts enter its value: items of a list, operands of a sum."""
    yield node
    inner: list[ast.expr] = []
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        inner = node.elts
    elif isinstance(node, ast.JoinedStr):
        inner = node.values
    elif isinstance(node, (ast.Starred, ast.FormattedValue)):
        inner = [node.value]
    elif isinstance(node, ast.BinOp):
        inner = [node.left, node.right]
    elif isinstance(node, ast.IfExp):
        inner = [node.body, node.orelse]
    for child in inner:
        yield from _pieces(child)


def _is_written_time(node: ast.expr) -> bool:
    """Return whether an expression writes times as texts with ``strftime``, so that texts can be compared with it."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "strftime"
    )


def _dtypes(node: ast.Call) -> list[ast.expr]:
    """Return the expressions in a call that name the type of array elements."""
    dtypes = [keyword.value for keyword in node.keywords if keyword.arg == "dtype"]
    if isinstance(node.func, ast.Attribute):
        if node.func.attr in ("astype", "view"):
            dtypes += node.args[:1]
        elif _dotted(node.func) in ("np.array", "np.asarray"):
            dtypes += node.args[1:2]
    return dtypes


def _instead(name: str) -> str:
    """Return advice on what to write instead of a name that is not allowed."""
    return f" ({_INSTEAD[name]})" if name in _INSTEAD else ""


_INSTEAD = {
    "query": "write a selection as df[df['x'] < 5]",
    "eval": "write the expression itself: df['x'] + df['y']",
    "print": "code cannot print; assign the output to result",
    "plot": "code cannot draw; use a plot step",
    "to_csv": "code cannot write files; use a save_data step",
    "read_csv": "code cannot read files; use a fetch step",
    "iteritems": "write items()",
    "trapz": "write np.trapezoid(…)",
    "format": "write f'{x:.2f}'",
    "plt": "code cannot draw; use a plot step",
    "open": "code cannot read or write files",
    "scipy": "scipy.signal can be used as signal",
    "numpy": "numpy can be used as np",
    "pandas": "pandas can be used as pd",
}
_IN_SCOPE = {
    "numpy": "np",
    "pandas": "pd",
    "xarray": "xr",
    "scipy": "signal",
    "scipy.signal": "signal",
    "pywt": "pywt",
}


def _is_errstate(node: ast.With) -> bool:
    if len(node.items) != 1 or node.items[0].optional_vars is not None:
        return False
    call = node.items[0].context_expr
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and _dotted(call.func) == "np.errstate"
        and not call.args
        and all(
            isinstance(keyword.value, ast.Constant) and keyword.arg is not None for keyword in call.keywords
        )
    )


def _is_seeded(node: ast.Call, argument: str, *, positional: bool = True) -> bool:
    given: list[Any] = [keyword.value for keyword in node.keywords if keyword.arg == argument]
    if positional:
        given += node.args[:1]
    return any(not (isinstance(value, ast.Constant) and value.value is None) for value in given)


def _constant(node: ast.Constant) -> Iterator[str]:
    value = node.value
    if isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
        yield "this number is too large"
    elif isinstance(value, str) and value.strip().lower() in _CLOCK:
        yield f"'{value.strip()}' reads the clock: results must not depend on when they are computed"
    elif isinstance(value, bytes):
        yield "bytes are not allowed"


def _operation(node: ast.BinOp) -> Iterator[str]:
    """Refuse powers, repetitions and shifts whose results would fill the memory, if the code shows their size."""
    if isinstance(node.op, ast.Pow):
        base, exponent = _number(node.left), _number(node.right)
        if (
            base is not None
            and exponent is not None
            and isinstance(base, int)
            and exponent > 0
            and abs(base) > 1
        ):
            if exponent * math.log2(abs(base)) > 64:
                yield "this exponent is too large"
        elif base is not None and isinstance(node.right, ast.BinOp) and isinstance(node.right.op, ast.Pow):
            yield "a power of a power is not allowed"
    elif isinstance(node.op, ast.Mult):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            count = _number(other)
            repeated = isinstance(side, (ast.List, ast.Tuple)) or (
                isinstance(side, ast.Constant) and isinstance(side.value, str)
            )
            if repeated and count is not None and count > _LARGEST:
                yield "this repetition is too long"
    elif isinstance(node.op, ast.LShift):
        count = _number(node.right)
        if count is None or count > 64:
            yield "this shift is too wide"


def _sizes(node: ast.Call) -> Iterator[str]:
    """Refuse arrays and ranges that are too large, if the code states their size as a number."""
    total = 1.0
    for argument in [
        *node.args,
        *(keyword.value for keyword in node.keywords if keyword.arg in ("shape", "N", "num")),
    ]:
        parts = argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else [argument]
        product = 1.0
        for length in parts:
            product *= abs(float(_number(length) or 1))
        total = max(total, product)
    if total > _LARGEST:
        yield "this array is too large"


def _number(node: ast.expr) -> int | float | None:
    """Compute the value of an expression of numbers; infinite if it is too large, None if it is not a real number."""
    if isinstance(node, ast.Constant):
        known = isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
        return _bounded(node.value) if known else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number(node.operand)
        return None if value is None else -value
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _number(node.left), _number(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Pow) and (abs(right) > 64 or abs(left) > 2**32):
        return math.inf
    try:
        return _bounded(_ARITHMETIC[type(node.op)](left, right)) if type(node.op) in _ARITHMETIC else None
    except (ArithmeticError, ValueError):
        return None


def _bounded(value: Any) -> int | float | None:
    """Return a real number, infinite if its size exceeds the limit; return None for a complex number or NaN."""
    if isinstance(value, complex) or value != value:
        return None
    if abs(value) > _BEYOND:
        return math.inf if value > 0 else -math.inf
    return value if isinstance(value, int) else float(value)


_ARITHMETIC: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Pow: lambda a, b: a**b,
}
