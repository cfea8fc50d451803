"""Find from which input tables the numbers of a result come, by reading code without running it.

The result of ``df * 0 + 5`` has the shape of ``df`` and none of its numbers: they were written by the author of the
code. This reader follows values through assignments, functions and loops. It says that numbers are not those of a
table only where it is certain; where it is not, it says so.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from helio.steps.sandbox.allow_list import syntax_tree

_DEEPEST_CALLS = 6
_MOST_VISITS = 50_000
"""The analysis stops after it has read this many syntax elements; it reads loops and functions more than once."""


@dataclass(frozen=True)
class NumberSources:
    """The input tables from which the numbers of a result come, as far as the analysis can tell.

    Parameters
    ----------
    names : frozenset of str
        The inputs whose values the result depends on; empty when the author of the code wrote all of its numbers.
    doubtful : bool
        Whether some of its numbers may be the author's.
    """

    names: frozenset[str]
    doubtful: bool


@lru_cache(maxsize=256)
def number_sources(code: str, inputs: tuple[str, ...]) -> NumberSources:
    """Return the input tables on whose values the result of code depends.

    Parameters
    ----------
    code : str
        Assigns ``result``.
    inputs : tuple of str
        Names of tables in scope.

    Examples
    --------
    >>> number_sources("result = df.rolling('10min').mean()", ("df",))
    NumberSources(names=frozenset({'df'}), doubtful=False)
    >>> number_sources("result = pd.Series(np.ones(len(df)), index=df.index)", ("df",))
    NumberSources(names=frozenset(), doubtful=False)
    """
    try:
        reader = _Tracer(inputs)
        sources = reader.result_of(syntax_tree(code))
    except (SyntaxError, ValueError):  # refused by the check of the code
        return NumberSources(frozenset(inputs), doubtful=False)
    except (RecursionError, MemoryError, _TooMuchError):
        return NumberSources(frozenset(inputs), doubtful=True)
    return NumberSources(sources.sources, sources.doubtful)


class _TooMuchError(Exception):
    """The error if the analysis of code takes too long."""


Sources = frozenset[str]
_NONE: Sources = frozenset()


@dataclass(frozen=True)
class _Term:
    """A term of a sum: a factor times a quantity, which is identified by its text in the code."""

    factor: float
    sources: Sources
    doubtful: bool


@dataclass(frozen=True)
class _Value:
    """What is known of a value in code: the tables from which its numbers come, and its terms if it is a sum."""

    sources: Sources = _NONE
    doubtful: bool = False
    text: str = ""
    terms: Mapping[str, _Term] | None = None
    """The terms of the value if it is a sum, otherwise None."""
    constant: float | None = None
    """The number that is added to the terms, or the whole value if there are no terms."""
    selected: bool = False
    """Whether the rows of the value were selected by their values."""
    columns: Mapping[str, _Value] = field(default_factory=dict)
    """Columns that the code has assigned to this table."""
    items: tuple[_Value, ...] | None = None
    """The items of the value if the code writes it as a list or a tuple."""
    function: ast.Lambda | ast.FunctionDef | None = None
    is_text: bool = False
    names_column_of: str = ""
    """If the value is a column name that a loop takes from a table, the name of this table."""

    @property
    def number(self) -> float | None:
        return self.constant if self.terms == {} else None

    @property
    def missing(self) -> bool:
        """Whether the value is NaN or None in the code."""
        return self.number is not None and math.isnan(self.number)

    @property
    def invents(self) -> bool:
        """Whether the value contains numbers from the code itself and not from a table."""
        return not self.sources and not self.missing and not self.is_text

    def sum_terms(self) -> Mapping[str, _Term]:
        if self.terms is not None:
            return self.terms
        return {self.text: _Term(1.0, self.sources, self.doubtful)}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _number(value: float) -> _Value:
    return _Value(text=repr(value), terms={}, constant=value)


_NAN = _number(math.nan)
_TEXT = _Value(text="''", is_text=True)

_SHAPE = _words("index shape columns size ndim dtype dtypes empty axes name names dims coords nbytes attrs")
_SAME = _words(
    "copy to_numpy values squeeze rename set_axis tz_convert tz_localize sort_index "
    "reset_index to_frame ravel flatten tolist to_list item infer_objects rename_axis loc iloc at iat"
)
"""Attributes and methods that return the numbers of a table unchanged."""
_SELECTING = _words("dropna query nlargest nsmallest drop_duplicates first_valid_index last_valid_index")
_FLAGS = _words("isna isnull notna notnull isnan isfinite isinf count isnat")
"""Functions and methods that only tell which values are missing, or count those that are not."""
_OPERATORS: Mapping[str, tuple[type[ast.operator], bool]] = {
    "add": (ast.Add, False),
    "radd": (ast.Add, True),
    "sub": (ast.Sub, False),
    "subtract": (ast.Sub, False),
    "rsub": (ast.Sub, True),
    "mul": (ast.Mult, False),
    "multiply": (ast.Mult, False),
    "rmul": (ast.Mult, True),
    "div": (ast.Div, False),
    "divide": (ast.Div, False),
    "truediv": (ast.Div, False),
    "true_divide": (ast.Div, False),
    "rdiv": (ast.Div, True),
    "rtruediv": (ast.Div, True),
    "floordiv": (ast.FloorDiv, False),
    "floor_divide": (ast.FloorDiv, False),
    "mod": (ast.Mod, False),
    "remainder": (ast.Mod, False),
    "pow": (ast.Pow, False),
    "power": (ast.Pow, False),
    "float_power": (ast.Pow, False),
}
_COMPARISONS = _words("eq ne lt le gt ge equal not_equal less less_equal greater greater_equal isclose")
_CALLING = _words("apply applymap map transform agg aggregate pipe combine")
_FILLING = _words("fillna replace nan_to_num update put putmask place copyto combine_first insert")
"""Functions and methods that replace some values, possibly by numbers that the code contains."""
_MODULES = _words("np pd xr signal pywt")
_OF_SHAPE = _words("len range isinstance shape size ndim RangeIndex date_range timedelta_range")
_FILLED: Mapping[str, float] = {
    "zeros": 0.0,
    "zeros_like": 0.0,
    "ones": 1.0,
    "ones_like": 1.0,
    "empty": math.nan,
}
_MAKING = _words("DataFrame Series DataArray array asarray concat from_dict from_records")
_AROUND = _words("index columns name dtype copy axis join keys orient dims coords names ignore_index")
"""Arguments of the functions in `_MAKING` that do not hold numbers."""
DROWNED = 1e-12
"""If the factor of a value is smaller than this part of an added constant, rounding removes the value."""
_EACH, _MOST = "number of each", "number of some"
"""Names for the counter of a loop: the loop runs over all rows, or over some rows."""
_PLACES = _words("loc iloc at iat values")


class _Tracer:
    """An analysis that follows the values of variables through a piece of code."""

    def __init__(self, inputs: Sequence[str]) -> None:
        self.scope: dict[str, _Value] = {
            name: _Value(sources=frozenset({name}), text=name) for name in inputs
        }
        self.inputs = frozenset(inputs)
        self.depth = 0
        self.count = 0
        self.returned: list[_Value] | None = None

    def result_of(self, tree: ast.Module) -> _Value:
        self._run(tree.body)
        value = self.scope.get("result")
        # the check of the code refuses code without a result
        return _Value(sources=self.inputs) if value is None else value

    # ---- statements

    def _run(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._step(statement)

    def _step(self, statement: ast.stmt) -> None:
        self._count()
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                self._assign(target, self._of(statement.value))
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, self._of(statement.value))
        elif isinstance(statement, ast.AugAssign):
            now = self._of(statement.target)
            self._assign(
                statement.target, self._operation(type(statement.op), now, self._of(statement.value))
            )
        elif isinstance(statement, ast.Expr):
            self._effect(statement.value)
        elif isinstance(statement, ast.If):
            self._branches(statement)
        elif isinstance(statement, ast.For):
            for _ in range(2):  # what one turn leaves, the next one finds
                self._bind_loop(statement.target, statement.iter)
                self._run(statement.body)
            self._run(statement.orelse)
        elif isinstance(statement, ast.FunctionDef):
            self.scope[statement.name] = _Value(text=statement.name, function=statement)
        elif isinstance(statement, ast.With):
            self._run(statement.body)
        elif isinstance(statement, ast.Return) and self.returned is not None:
            self.returned.append(_NAN if statement.value is None else self._of(statement.value))

    def _branches(self, statement: ast.If) -> None:
        condition = self._of(statement.test)
        if condition.number is not None:
            self._run(statement.body if condition.number else statement.orelse)
            return
        before = dict(self.scope)
        self._run(statement.body)
        one, self.scope = self.scope, before
        self._run(statement.orelse)
        other = self.scope
        joined = {}
        for name in {**one, **other}:
            first, second = one.get(name), other.get(name)
            if first is None or second is None or first is second:
                joined[name] = first or second or _NAN
            else:
                joined[name] = _either(first, second, condition)
        self.scope = joined

    def _bind_loop(self, target: ast.expr, iterable: ast.expr) -> None:
        call = iterable.func if isinstance(iterable, ast.Call) else None
        args = [self._of(arg) for arg in iterable.args] if isinstance(iterable, ast.Call) else []
        targets = target.elts if isinstance(target, ast.Tuple) else []
        if isinstance(call, ast.Name) and call.id == "enumerate" and len(targets) == 2 and args:
            self._assign(targets[0], _Value(text=f"{_EACH} {args[0].text}"))
            self._assign(targets[1], _element(args[0]))
        elif isinstance(call, ast.Name) and call.id == "range" and isinstance(target, ast.Name):
            whole = len(args) == 1
            self._assign(
                target, _Value(text=f"{_EACH if whole else _MOST} {','.join(arg.text for arg in args)}")
            )
        elif isinstance(call, ast.Name) and call.id == "zip" and len(targets) == len(args):
            for element, value in zip(targets, args, strict=True):
                self._assign(element, _element(value))
        elif isinstance(call, ast.Attribute) and call.attr in ("items", "iterrows") and len(targets) == 2:
            base = self._of(call.value)
            key = _Value(
                text=f"key of {base.text}", names_column_of=base.text if call.attr == "items" else ""
            )
            self._assign(targets[0], key)
            self._assign(targets[1], _element(base))
        else:
            self._assign(target, _element(self._of(iterable)))

    def _assign(self, target: ast.expr, value: _Value) -> None:
        if isinstance(target, ast.Name):
            self.scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            whole = value.items is not None and len(value.items) == len(target.elts)
            for index, element in enumerate(target.elts):
                item = (
                    value.items[index]
                    if whole and value.items
                    else replace(value, text=f"{value.text}[{index}]", terms=None)
                )
                self._assign(element, item)
        elif isinstance(target, ast.Subscript):
            self._assign_part(target, value)

    def _assign_part(self, target: ast.Subscript, value: _Value) -> None:
        root, by_place = target.value, False
        while isinstance(root, ast.Attribute) and root.attr in _PLACES:
            root, by_place = root.value, True
        if not isinstance(root, ast.Name):
            if isinstance(root, (ast.Subscript, ast.Attribute)) and _root(root) in self.scope:
                name = _root(root)
                self.scope[name] = _mixed(self.scope[name], value)
            return
        now = self.scope.get(root.id, _NAN)
        if value.invents:
            self._doubt_aliases(root.id, now)
        index = target.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        column = parts[-1]
        counted = self.scope.get(index.id) if isinstance(index, ast.Name) else None
        each_row = counted is not None and counted.text.startswith((_EACH, _MOST) if value.sources else _EACH)
        if each_row or all(_is_whole(part) for part in parts) or self._is_each_column(parts, now, by_place):
            self.scope[root.id] = replace(value, columns={}, items=None, text=f"{root.id}:={value.text}")
            if value.terms is not None:
                self.scope[root.id] = replace(value, columns={}, items=None)
            return
        named = isinstance(column, ast.Constant) and isinstance(column.value, str)
        whole_column = named and (len(parts) == 1) != by_place and all(_is_whole(part) for part in parts[:-1])
        chosen = [self._of(part) for part in parts if not isinstance(part, ast.Slice)]
        if any(value.sources for value in chosen) and value.invents:
            value = replace(value, doubtful=True)
        mixed = _mixed(now, value)
        columns = dict(now.columns)
        if whole_column and isinstance(column, ast.Constant):
            columns[str(column.value)] = value
        self.scope[root.id] = replace(mixed, columns=columns, text=f"{now.text}&{value.text}", terms=None)

    def _doubt_aliases(self, name: str, now: _Value) -> None:
        """Mark other variables that share memory with a changed variable as doubtful."""
        for other, value in self.scope.items():
            if other != name and value.sources and value.text == now.text:
                self.scope[other] = replace(value, doubtful=True)

    def _is_each_column(self, parts: Sequence[ast.expr], now: _Value, by_place: bool) -> bool:
        column = parts[-1]
        if not isinstance(column, ast.Name) or (len(parts) == 1) == by_place:
            return False
        named = self.scope.get(column.id)
        rest = all(_is_whole(part) for part in parts[:-1])
        # its text changes with every turn of the loop
        return (
            rest
            and named is not None
            and bool(named.names_column_of)
            and named.names_column_of.startswith(now.text.partition("&")[0].partition(":=")[0])
        )

    def _effect(self, expression: ast.expr) -> None:
        """Follow how a method call changes its object, or how a function changes its first argument."""
        value = self._of(expression)
        if not isinstance(expression, ast.Call) or not isinstance(expression.func, ast.Attribute):
            return
        function, args = expression.func, expression.args
        if self._is_of_module(function):
            if function.attr == "copyto" and len(args) == 2 and isinstance(args[0], ast.Name):
                self.scope[args[0].id] = self._of(args[1])
            elif args and function.attr in _FILLING and _root(args[0]) in self.scope:
                name = _root(args[0])
                self.scope[name] = replace(self.scope[name], doubtful=True, terms=None)
            return
        name = _root(function.value)
        now = self.scope.get(name)
        if now is None:
            return
        if function.attr == "fill" and args:
            self._doubt_aliases(name, now)
            self.scope[name] = self._of(args[0])
        elif function.attr in ("append", "extend", "add", "setdefault"):
            added = self._of(args[-1]) if args else _NAN
            self.scope[name] = replace(_mixed(now, added), text=f"{now.text}&{added.text}", terms=None)
        elif function.attr in ("update", "insert"):
            added = self._of(args[-1]) if args else _NAN
            self.scope[name] = replace(
                _mixed(now, added), text=f"{now.text}&{added.text}", terms=None, doubtful=True
            )
        elif any(keyword.arg == "inplace" for keyword in expression.keywords):
            self.scope[name] = value

    # ---- expressions

    def _of(self, node: ast.expr) -> _Value:
        self._count()
        if isinstance(node, ast.Constant):
            return _constant(node.value)
        if isinstance(node, ast.Name):
            table = node.id.startswith(("df_", "da_"))  # of a label that is known only in a run
            sources = frozenset({node.id}) if table else _NONE
            return self.scope.get(node.id) or _Value(sources, text=node.id)
        if isinstance(node, ast.BinOp):
            return self._operation(type(node.op), self._of(node.left), self._of(node.right))
        if isinstance(node, ast.UnaryOp):
            inner = self._of(node.operand)
            if isinstance(node.op, ast.USub):
                return self._operation(ast.Mult, _number(-1.0), inner)
            return inner if isinstance(node.op, ast.UAdd) else _combined([inner], f"{type(node.op).__name__}")
        if isinstance(node, ast.Compare):
            return self._comparison([node.left, *node.comparators])
        if isinstance(node, ast.BoolOp):
            return _combined([self._of(value) for value in node.values], "bool")
        if isinstance(node, ast.IfExp):
            condition = self._of(node.test)
            if condition.number is not None:
                return self._of(node.body if condition.number else node.orelse)
            return _either(self._of(node.body), self._of(node.orelse), condition)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return _listed([self._of(elt) for elt in node.elts])
        if isinstance(node, ast.Dict):
            columns = {
                key.value: self._of(part)
                for key, part in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            }
            made = _listed([self._of(value) for value in node.values])
            return replace(made, items=None, columns=columns)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            return self._part(node)
        if isinstance(node, ast.Lambda):
            return _Value(text="lambda", function=node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            return self._comprehension(node)
        if isinstance(node, ast.Starred):
            return self._of(node.value)
        if isinstance(node, ast.JoinedStr):
            return _TEXT
        if isinstance(node, ast.Slice):
            return _combined(
                [self._of(bound) for bound in (node.lower, node.upper, node.step) if bound], "slice"
            )
        return _Value(
            sources=frozenset().union(*(value.sources for value in self.scope.values())), doubtful=True
        )

    def _comparison(self, nodes: Sequence[ast.expr]) -> _Value:
        values = [self._of(node) for node in nodes]
        if len({_key(value) for value in values}) == 1 or any(
            value.number is not None and math.isinf(value.number) for value in values
        ):
            return _Value(text="one truth")
        return _combined(values, "compare")

    def _operation(self, kind: type[ast.operator], left: _Value, right: _Value) -> _Value:
        made = _sum(kind, left, right)
        if made is not None:
            return made
        if kind in (ast.Div, ast.FloorDiv, ast.Mod, ast.BitXor) and _key(left) == _key(right):
            return _number(1.0 if kind is ast.Div else 0.0)
        if (kind is ast.Pow and right.number == 0) or (kind is ast.FloorDiv and _is_infinite(right)):
            return _number(1.0)
        if kind in (ast.Div, ast.FloorDiv) and (_is_infinite(right) or left.number == 0):
            return _number(0.0)
        return _combined([left, right], kind.__name__)

    def _attribute(self, node: ast.Attribute) -> _Value:
        if isinstance(node.value, ast.Name) and node.value.id in _MODULES and node.value.id not in self.scope:
            known = {
                "nan": math.nan,
                "inf": math.inf,
                "pi": math.pi,
                "e": math.e,
                "NaT": math.nan,
                "NA": math.nan,
            }
            return _number(known[node.attr]) if node.attr in known else _Value(text=f"np.{node.attr}")
        base = self._of(node.value)
        if node.attr in base.columns:
            return base.columns[node.attr]
        text = f"{base.text}.{node.attr}"
        if node.attr in _SHAPE:
            sources = base.sources if base.selected else _NONE
            column = base.text if node.attr == "columns" else ""
            return _Value(sources, bool(sources), text, names_column_of=column)
        if node.attr in _SAME:
            return base
        return replace(_combined([base], node.attr), text=text, selected=base.selected)

    def _part(self, node: ast.Subscript) -> _Value:
        base, index = self._of(node.value), node.slice
        last = index.elts[-1] if isinstance(index, ast.Tuple) and index.elts else index
        names = last.elts if isinstance(last, (ast.List, ast.Tuple)) else [last]
        texts = [
            name.value for name in names if isinstance(name, ast.Constant) and isinstance(name.value, str)
        ]
        if texts and len(texts) == len(names) and all(text in base.columns for text in texts):
            return (
                base.columns[texts[0]] if len(texts) == 1 else _listed([base.columns[text] for text in texts])
            )
        key = index.value if isinstance(index, ast.Constant) else None
        if base.items is not None and isinstance(key, int) and -len(base.items) <= key < len(base.items):
            return base.items[key]
        chosen = self._of(index)
        if base.number is not None and not chosen.sources:
            return base
        by_values = bool(chosen.sources)
        return _Value(
            base.sources | chosen.sources,
            base.doubtful or (by_values and not base.sources),
            f"{base.text}[{ast.dump(index) if not by_values else chosen.text}]",
            selected=base.selected or by_values,
        )

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> _Value:
        before = dict(self.scope)
        conditions: list[_Value] = []
        for generator in node.generators:
            self._bind_loop(generator.target, generator.iter)
            conditions += [self._of(condition) for condition in generator.ifs]
        made = self._of(node.value if isinstance(node, ast.DictComp) else node.elt)
        self.scope = before
        chosen = frozenset[str]().union(*(condition.sources for condition in conditions))
        return _Value(
            made.sources | chosen,
            made.doubtful or (bool(chosen) and not made.sources),
            f"each {made.text}",
            terms={} if made.number is not None and not chosen else None,
            constant=made.number,
            selected=bool(chosen),
        )

    # ---- calls

    def _call(self, node: ast.Call) -> _Value:
        function = node.func
        args = [self._of(arg) for arg in node.args]
        named = {keyword.arg or "**": self._of(keyword.value) for keyword in node.keywords}
        if isinstance(function, ast.Lambda):
            return self._inline(function, args, named)
        if isinstance(function, ast.Name):
            known = self.scope.get(function.id)
            if known is not None and known.function is not None:
                return self._inline(known.function, args, named)
            return self._named(function.id, args, named)
        if not isinstance(function, ast.Attribute):
            return _combined([self._of(function), *args, *named.values()], "call")
        if self._is_of_module(function):
            if "random" in ast.dump(function):
                return _Value(doubtful=True, text=f"random {self.count}")
            return self._named(function.attr, args, named)
        return self._method(function, args, named)

    def _named(self, name: str, args: list[_Value], named: dict[str, _Value]) -> _Value:
        """Return the value of a call of a function of a module or of Python itself."""
        every = [*args, *named.values()]
        if name in _OF_SHAPE:
            chosen = [value for value in every if value.selected]
            sources = frozenset[str]().union(*(value.sources for value in chosen))
            return _Value(sources, bool(sources), f"{name}({','.join(value.text for value in every)})")
        if name in _FILLED:
            return _number(_FILLED[name])
        if name in ("full", "full_like"):
            return named.get("fill_value") or (args[1] if len(args) > 1 else _NAN)
        if name in _OPERATORS and len(args) >= 2:
            return self._operation(_OPERATORS[name][0], args[0], args[1])
        if name in ("where", "select"):
            return _chosen(name, args, named)
        if name == "negative" and args:
            return self._operation(ast.Mult, _number(-1.0), args[0])
        if name == "clip":
            return _clipped(args[:1], args[1:], named)
        if name in ("filter", "map", "apply_along_axis", "vectorize") and args:
            made = self._applied(args[0], args[1:])
            if made is not None:
                return made
        if name in _MAKING:
            return _made(name, args, named)
        return _method_of_all(name, every)

    def _method(self, function: ast.Attribute, args: list[_Value], named: dict[str, _Value]) -> _Value:
        base, name = self._of(function.value), function.attr
        every = [base, *args, *named.values()]
        if name in _OPERATORS and args:
            kind, turned = _OPERATORS[name]
            return self._operation(kind, *((args[0], base) if turned else (base, args[0])))
        if name in _COMPARISONS and args:
            same = _key(base) == _key(args[0])
            return _Value(text="one truth") if same else _combined(every, name)
        if name in _SAME:
            return base
        if name in ("where", "mask"):
            return _masked(name, base, args, named)
        if name == "clip":
            return _clipped([base], args, named)
        if name == "assign":
            columns = {
                key: self._applied(argument, [base]) or argument
                if argument.function is not None
                else argument
                for key, argument in named.items()
            }
            made = base
            for part in columns.values():
                made = _mixed(made, part)
            return replace(made, columns={**base.columns, **columns}, terms=None, text=f"{base.text}.assign")
        if name in _CALLING and args:
            made_of = self._applied(args[0], [base, *args[1:]])
            if made_of is not None:
                return made_of
            # a mapping of some values to others that the author chose
            written = args[0].invents and not args[0].is_text and not isinstance(function.value, ast.Constant)
            applied = _combined(every, name)
            return replace(applied, doubtful=applied.doubtful or (name == "map" and written))
        if name in _SELECTING:
            return replace(base, selected=bool(base.sources), terms=None, text=f"{base.text}.{name}()")
        applied = _method_of_all(name, every)
        filled = [item for key, item in named.items() if key in ("fill_value", "value", "other", "cval")]
        if any(value.invents for value in filled):
            applied = replace(applied, doubtful=True)
        return replace(applied, selected=applied.selected or base.selected)

    def _applied(self, function: _Value, args: Sequence[_Value]) -> _Value | None:
        """Apply a function from the code to elements of values; return None if the value is not a function."""
        if function.function is None:
            return None
        return self._inline(function.function, [_element(arg) for arg in args], {})

    def _inline(
        self, function: ast.Lambda | ast.FunctionDef, args: Sequence[_Value], named: Mapping[str, _Value]
    ) -> _Value:
        """Follow the body of a function, with the arguments as the values of its parameters."""
        if self.depth >= _DEEPEST_CALLS:
            return replace(_combined([*args, *named.values()], "deep"), doubtful=True)
        before, returned = dict(self.scope), self.returned
        names = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]
        defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
        for name, default in defaults.items():
            self.scope[name] = self._of(default)
        self.scope |= dict(zip(names, args, strict=False)) | dict(named)
        self.depth += 1
        try:
            if isinstance(function, ast.Lambda):
                return self._of(function.body)
            self.returned = []
            self._run(function.body)
            values = self.returned or [_NAN]
            made = values[0]
            for value in values[1:]:
                made = _either(made, value, _combined(list(args), "condition"))
            return made
        finally:
            self.depth -= 1
            self.scope, self.returned = before, returned

    def _is_of_module(self, function: ast.expr) -> bool:
        """Return whether an expression is a module's function such as ``np.linalg.norm``, not a method of a value."""
        while isinstance(function, ast.Attribute):
            function = function.value
        return isinstance(function, ast.Name) and function.id in _MODULES and function.id not in self.scope

    def _count(self) -> None:
        self.count += 1
        if self.count > _MOST_VISITS:
            raise _TooMuchError


# ---- values


def _constant(value: object) -> _Value:
    if value is None:
        return _NAN
    if isinstance(value, (bool, int, float)):
        try:
            return _number(float(value))
        except OverflowError:
            return _number(math.inf)
    return _Value(text=repr(value), is_text=isinstance(value, (str, bytes)))


def _key(value: _Value) -> str:
    """Return a text that is the same for equal values."""
    if value.terms is None:
        return value.text
    terms = sorted((text, term.factor) for text, term in value.terms.items())
    return f"{terms}+{value.constant}"


def _combined(values: Sequence[_Value], what: str) -> _Value:
    """Return a new value that depends on all given values."""
    return _Value(
        frozenset[str]().union(*(value.sources for value in values)),
        any(value.doubtful for value in values),
        f"{what}({','.join(_key(value) for value in values)})",
        selected=any(value.selected for value in values),
        is_text=bool(values) and all(value.is_text for value in values),
    )


def _method_of_all(name: str, values: Sequence[_Value]) -> _Value:
    combined = _combined(values, name)
    if not combined.sources and len(values) == 1 and values[0].number is not None:
        return (
            replace(combined, terms={}, constant=values[0].number)
            if name in ("float", "int", "float64")
            else combined
        )
    flagged = name in _FLAGS and bool(combined.sources)
    filled = name in _FILLING and bool(combined.sources) and any(value.invents for value in values[1:])
    return replace(
        combined,
        doubtful=combined.doubtful or flagged or filled or (name == "nan_to_num" and bool(combined.sources)),
    )


def _mixed(one: _Value, other: _Value) -> _Value:
    """Return a value with numbers of both values; it is doubtful if only one of the two comes from a table."""
    # an empty frame or list, or one of NaN, holds no number yet
    empty = one.missing or (one.items == () and not one.sources) or (not one.sources and not one.invents)
    if empty or (
        not one.sources and one.number is None and not one.columns and one.text.startswith(("made", "list"))
    ):
        return replace(other, columns={}, items=None, terms=None, text=f"{one.text}&{other.text}")
    if other.missing:
        return one
    made = _combined([one, other], "beside")
    differ = bool(one.sources) != bool(other.sources) and not other.is_text and not one.is_text
    return replace(made, doubtful=made.doubtful or differ)


def _either(one: _Value, other: _Value, condition: _Value) -> _Value:
    """Return one of two values; it is doubtful if only one of the two, or only the condition, comes from a table."""
    if _key(one) == _key(other):
        return one
    if one.missing or other.missing:  # numbers taken out are no numbers put in
        chosen = other if one.missing else one
        if chosen.sources or not condition.sources:
            return replace(chosen, terms=None, text=f"either {_key(chosen)},{condition.text}", columns={})
    made = _combined([one, other], "either")
    differ = bool(one.sources) != bool(other.sources) or (not made.sources and bool(condition.sources))
    sources = made.sources | condition.sources
    return replace(made, sources=sources, doubtful=made.doubtful or differ, is_text=False)


def _listed(values: Sequence[_Value]) -> _Value:
    """Return the value of a list that the code writes out."""
    numbers = [value for value in values if not value.is_text and not value.missing]
    made = _combined(list(values), "list")
    differ = any(number.sources for number in numbers) and any(number.invents for number in numbers)
    uniform = {value.number for value in values} if values else set()
    same = uniform.pop() if len(uniform) == 1 else None
    return replace(
        made,
        doubtful=made.doubtful or differ,
        items=tuple(values),
        terms={} if same is not None else None,
        constant=same,
        is_text=bool(values) and not numbers and not any(value.missing for value in values),
    )


def _element(value: _Value) -> _Value:
    """Return the value that a loop variable has when a loop runs over a value."""
    if value.items:
        made = _combined(value.items, "one of")
        return replace(made, doubtful=any(item.doubtful for item in value.items))
    if value.number is not None:
        return value
    return replace(value, text=f"one of {value.text}", terms=None, items=None, columns={})


def _sum(kind: type[ast.operator], left: _Value, right: _Value) -> _Value | None:
    """Return a sum, a difference or a multiple as terms, which may cancel; return None for any other operation."""
    if (
        left.is_text
        or right.is_text
        or (left.columns and left.terms is None)
        or (right.columns and right.terms is None)
    ):
        return None
    sign = {ast.Add: 1.0, ast.Sub: -1.0}.get(kind)
    if sign is not None:
        terms = dict(left.sum_terms())
        for text, term in right.sum_terms().items():
            there = terms.get(text)
            factor = sign * term.factor + (there.factor if there else 0.0)
            terms[text] = _Term(factor, term.sources, term.doubtful)
        constant = _constant_of(left) + sign * _constant_of(right)
        return _of_terms(terms, constant, left, right)
    if kind is ast.Mult and left.number is not None:
        left, right = right, left
    number = right.number
    if kind is ast.Div and number not in (None, 0.0):
        number = 1.0 / number if number is not None else None
    elif kind is not ast.Mult:
        return None
    if number is None or math.isinf(number):
        return None
    terms = {
        text: _Term(term.factor * number, term.sources, term.doubtful)
        for text, term in left.sum_terms().items()
    }
    return _of_terms(terms, _constant_of(left) * number, left, right)


def _constant_of(value: _Value) -> float:
    return value.constant or 0.0 if value.terms is not None else 0.0


def _of_terms(terms: Mapping[str, _Term], constant: float, left: _Value, right: _Value) -> _Value:
    remaining = {text: term for text, term in terms.items() if term.factor != 0}
    factors = [abs(term.factor) for term in remaining.values() if term.sources]
    drowned = bool(factors) and max(factors) < DROWNED * abs(constant)
    return _Value(
        frozenset[str]().union(*(value.sources for value in remaining.values())),
        drowned or any(value.doubtful for value in remaining.values()),
        f"sum {sorted((text, term.factor) for text, term in remaining.items())} {constant}",
        terms=remaining,
        constant=constant,
        selected=left.selected or right.selected,
    )


def _chosen(name: str, args: Sequence[_Value], named: Mapping[str, _Value]) -> _Value:
    """Return the value of a call of ``np.where`` or ``np.select``."""
    if name == "where":
        if len(args) < 3:
            value = _combined(args, name)
            return replace(value, doubtful=value.doubtful or bool(value.sources))
        condition, one, other = args[:3]
        if condition.number is not None:
            return one if condition.number else other
        return _either(one, other, condition)
    conditions, choices = args[:1], [*args[1:], *(item for key, item in named.items() if key == "default")]
    every = [item for choice in choices for item in (choice.items if choice.items else (choice,))]
    condition = _combined(list(conditions), "conditions")
    made = every[0] if every else _NAN
    for part in every[1:]:
        made = _either(made, part, condition)
    return made


def _masked(name: str, base: _Value, args: Sequence[_Value], named: Mapping[str, _Value]) -> _Value:
    """Return the value of a call of ``table.where`` or ``table.mask``."""
    condition = args[0] if args else named.get("cond", _NAN)
    other = args[1] if len(args) > 1 else named.get("other", _NAN)
    if condition.number is not None and not condition.missing:
        keeps = bool(condition.number) == (name == "where")
        return base if keeps else other
    if other.missing:
        return replace(base, terms=None, text=f"{base.text}.{name}({condition.text})", columns={})
    return _either(base, other, condition)


def _clipped(base: Sequence[_Value], bounds: Sequence[_Value], named: Mapping[str, _Value]) -> _Value:
    limits = [
        *bounds[:2],
        *(item for key, item in named.items() if key in ("lower", "upper", "a_min", "a_max", "min", "max")),
    ]
    numbers = [limit.number for limit in limits]
    if len(numbers) == 2 and numbers[0] is not None and numbers[0] == numbers[1]:
        return limits[0]
    return _combined([*base, *limits], "clip")


def _made(name: str, args: Sequence[_Value], named: Mapping[str, _Value]) -> _Value:
    """Return the value of a table or array that is made of the arguments; values of a table may be its index."""
    held = [*args[:1], *(item for key, item in named.items() if key not in _AROUND)]
    around = [*args[1:], *(item for key, item in named.items() if key in _AROUND)]
    by_values = frozenset[str]().union(*(value.sources for value in around))
    if not held:
        return _Value(by_values, bool(by_values), f"made {name}")
    first = held[0]
    if len(held) == 1 and not (by_values - first.sources) and not (first.is_text or first.items == ()):
        return first if first.items is None else replace(first, items=None)
    made = _combined(held, f"made {name}")
    return replace(
        made,
        sources=made.sources | by_values,
        doubtful=made.doubtful or bool(by_values - made.sources),
        columns=first.columns,
    )


# ---- syntax


def _root(node: ast.expr) -> str:
    """Return the variable at the start of an expression such as ``df["x"].mean()``."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_whole(index: ast.expr) -> bool:
    if isinstance(index, ast.Slice):
        return index.lower is None and index.upper is None and index.step is None
    return isinstance(index, ast.Constant) and index.value is ...


def _is_infinite(value: _Value) -> bool:
    return value.number is not None and math.isinf(value.number)
