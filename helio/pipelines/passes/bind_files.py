"""Write the names of the files that each step will make into the plan.

HB304 (edit bind)  file name of an export
    Its name is made of its labels.
    before  "source_label": "AC_H2_MFI.BGSEc"
    after   "filename": "AC_H2_MFI.BGSEc"

HB306 (edit bind)  the files that a template states for a figure, and times in names and titles
    The plan names every file before the run starts.
    before  "filename": "ace_{start}", "formats": ["png"]
    after   "files": [{"name": "ace_20240510.png", …}]

HV104 (error)  two files with the same name, or an invalid file name
    One would overwrite the other.
    before  two exports with "filename": "b.csv"
    after   refused
    to do   Give each file another name, of letters, digits, hyphens and points.

HV108 (error)  {start} or {stop} in a file name or title of a step without fetched data
    The step has no time range to fill in.
    before  "filename": "made_{start}.png" for a figure of store_dataframe
    after   refused
    to do   Remove {start} and {stop} from the name or the title, or draw data of a fetch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from helio.errors import HelioError, StepError
from helio.pipelines.passes.draft import Draft
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.figures import FIGURES, MANAGE, RENDER, figure_of
from helio.pipelines.template.files import (
    FORMATS,
    LONGEST_NAME,
    MOST_BYTES,
    PLOTLY_JS,
    RECORD,
    UNSTATED,
    OutputFile,
    figure_files,
    figure_name,
    times_of,
)
from helio.pipelines.template.template import Step, Template, reached
from helio.pipelines.template.variables import TIMES, TOKEN, Path, Pattern, patterns
from helio.steps.export.formats import file_of_export, format_of_export, format_of_name, with_ending
from helio.steps.fetch.choices import FETCH
from helio.time_range import TimeRange, parse_time_range

_ANOTHER = "choose another filename, for example one with {start} or a variable in braces"


def bind_files(template: Template, context: Context) -> Iterator[Finding]:
    """Write the files of each figure into the plan if the template names them, and give each export a file name.

    ``3: render_spec(spec={…, filename: "ace_{start}", formats: [png]})`` → ``spec={…}``,
    ``files: [{name: ace_20240510.png, format: png, critical: true}]``

    An export of a figure is one of the figure's files. A figure that states nothing is written as HTML and JSON under
    its step's name, an export without a name under its labels. Two steps never write one file.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"spec": {"labels": ["B"], "formats": ["png"]}}
    >>> figure = {"step_id": 3, "tool_name": "render_spec", "tool_args": args}
    >>> [edit] = bind_files(Template.from_json({"steps": [figure]}), Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.message)
    written as figure-3.png
    """
    steps = template.steps
    names = FileNames(steps, context)
    files: dict[StepId, dict[str, OutputFile]] = {}
    stated = {step.step_id for step in steps if step.tool_name == RENDER and _states_files(step)}
    for step in steps:
        for target in names.of(step):
            if isinstance(target, Diagnostic):
                yield target
                continue
            writer, file = target
            if step.tool_name == MANAGE:
                stated.add(writer)
            known = files.setdefault(writer, {})
            if file.name not in known or file.critical:
                known[file.name] = file
    draft = Draft(("steps",), steps)
    exports = [index for index, step in enumerate(steps) if step.tool_name == MANAGE]
    removed_ids = {steps[export].step_id for export in exports}
    for index, step in enumerate(steps):
        args = names.filled(step)
        if step.step_id in stated and step.step_id in files:
            written = files[step.step_id].values()
            spec = {key: value for key, value in args["spec"].items() if key not in ("filename", "formats")}
            listed = tuple(asdict(file) for file in written)
            draft.change(index, tool_args={**args, "spec": spec}, files=listed)
            message = f"written as {', '.join(file.name for file in written)}"
            yield Edit("HB306", message, draft.take(), step.step_id, kind="bind")
        elif context.signatures[step.tool_name].gives == "export" and not args.get("filename"):
            name = called_after(args["source_labels"])
            draft.change(index, tool_args={**args, "filename": name})
            yield Edit("HB304", f"written as {name}", draft.take(), step.step_id, kind="bind")
        elif args != step.tool_args:
            draft.change(index, tool_args=args)
            yield Edit(
                "HB306",
                "the times of the data are written into the file name or title",
                draft.take(),
                step.step_id,
                kind="bind",
            )
    for index, step in enumerate(steps):
        draft.change(index, depends_on=tuple(other for other in step.depends_on if other not in removed_ids))
    for export in exports:
        draft.remove(export)
    if exports:
        ids = ", ".join(str(steps[export].step_id) for export in exports)
        yield Edit(
            "HB306", f"each of these exports becomes a file of its figure: {ids}", draft.take(), kind="bind"
        )


def planned_files(step: Step, gives: str) -> tuple[OutputFile, ...]:
    """Return the files that a step will write, from a plan with the values of a run."""
    if step.files:
        return tuple(OutputFile(**file) for file in step.files)
    if gives == "figure":
        files = figure_files("", (), otherwise=figure_name(step.step_id))
        return tuple(OutputFile(name, kind, step.critical) for name, kind in files)
    if gives == "export":
        args = step.tool_args
        name = with_ending(args["filename"], args.get("format") or format_of_name(args["filename"]) or "csv")
        return (OutputFile(name, "data", step.critical),)
    return ()


def _states_files(step: Step) -> bool:
    return any(key in step.tool_args.get("spec", {}) for key in ("filename", "formats"))


def called_after(labels: Sequence[str]) -> str:
    """Make the name of an export's file from its labels, without an extension."""
    name = "_".join(re.sub(r"[^A-Za-z0-9_.|-]+", "_", label) for label in labels)
    return name[: LONGEST_NAME - 20].lstrip(".") or "tables"


class FileNames:
    """File names that steps state; no two files have the same name.

    Parameters
    ----------
    steps : sequence of Step
        Each with the place that a diagnostic points to; maps are expanded, as far as their items are known.
    context : Context
    bound : bool
        Whether variables have their values and time ranges are absolute. Otherwise names are compared as they are
        written, and those with times in them not at all.
    """

    def __init__(self, steps: Sequence[Step], context: Context, *, bound: bool = True) -> None:
        self._context = context
        self._bound = bound
        self._by_id = {step.step_id: step for step in steps}
        self._needs = {step.step_id: step.depends_on for step in steps}
        self._taken: dict[str, tuple[StepId, StepId] | None] = dict.fromkeys((RECORD, PLOTLY_JS))
        """For each file name in lower case: the step whose result is in the file, and the step that states the name."""

    def of(self, step: Step) -> Iterator[tuple[StepId, OutputFile] | Diagnostic]:
        """Yield each file that a step states, with the step whose result is in the file, or an error."""
        signature = self._context.signatures.get(step.tool_name)
        if signature is None or step.for_each is not None:
            return
        if signature.name == MANAGE:
            writers = [
                needed_id
                for needed_id in step.depends_on
                if needed_id in self._by_id and self._by_id[needed_id].tool_name in FIGURES
            ]
        elif signature.name in FIGURES or signature.gives == "export":
            writers = [step.step_id]
        else:
            return
        for writer in writers:
            yield from self._of(step, writer)

    def _of(self, step: Step, writer: StepId) -> Iterator[tuple[StepId, OutputFile] | Diagnostic]:
        step_id, tool_name = step.step_id, step.tool_name

        def refused(code: str, path: Path, message: str, advice: str) -> Diagnostic:
            return Diagnostic(
                code, message, "error", step_id, tool_name, pointer(*step.path, *path), (advice,)
            )

        texts = list(patterns(step.tool_args, self._context.signatures[tool_name].schema()))
        for pattern in texts:
            if _has_time(pattern) and next(self._ranges(writer), None) is None:
                message = f"'{pattern.text}' contains a time, but step {writer} depends on no fetch with a time range"
                yield refused(
                    "HV108", ("tool_args", *pattern.path), message, "remove {start} and {stop} from the text"
                )
                return
        named = next((("tool_args", *text.path) for text in texts if text.is_name and text.text), ())
        path = named or ("step_id",)
        try:
            files = self._stated(step, writer)
        except StepError as error:
            if self._bound or not any(map(_is_open, texts)):
                yield refused("HV104", path, error.message, error.advice)
            return
        for name, _ in files:
            message = self._why_not(name, writer, step_id)
            if message:
                yield refused("HV104", path, message, _ANOTHER)
                return
        for name, kind in files:
            yield writer, OutputFile(name, kind, step.critical)
        # further formats of a figure may be asked for when it is run
        more = (
            [] if named or tool_name not in FIGURES else [f"{figure_name(writer)}.{kind}" for kind in FORMATS]
        )
        for name in (*(name for name, _ in files), *more):
            self._taken.setdefault(name.lower(), (writer, step_id))

    def filled(self, step: Step, writer: StepId | None = None) -> Mapping[str, Any]:
        """Fill the times of a step's data into the file names and titles among its arguments; return the arguments."""
        args, span = step.tool_args, self._span(step.step_id if writer is None else writer)
        if span is None:
            return args
        for text in patterns(args, self._context.signatures[step.tool_name].schema()):
            args = _put(args, text.path, text.filled(times_of(span, in_name=text.is_name)))
        return args

    def _stated(self, step: Step, writer: StepId) -> list[tuple[str, str]]:
        """Return the names and formats of the files that a step will write, as its arguments state them."""
        args = self.filled(step, writer)
        if step.tool_name == MANAGE:
            stated: Any = [args["format"]] if args.get("format") else None
            filename: Any = args.get("filename")
        elif step.tool_name in FIGURES:
            spec = figure_of(replace(step, tool_args=args))
            stated, filename = spec.get("formats"), spec.get("filename")
        else:
            name, form = args.get("filename"), args.get("format")
            if name:
                return [(file_of_export(name, form)[0], "data")]
            name = called_after(args.get("source_labels", ()))
            return [(with_ending(name, format_of_export("", form)), "data")]
        if stated == []:
            raise StepError(
                "'formats' is an empty list", advice=f"choose from {', '.join(FORMATS)}, or remove 'formats'"
            )
        formats = [form for form in stated or () if form in FORMATS]
        unstated: Sequence[str] = ("png",) if step.tool_name == MANAGE else UNSTATED
        return figure_files(filename or "", formats, otherwise=figure_name(writer), unstated=unstated)

    def _why_not(self, name: str, writer: StepId, step_id: StepId) -> str:
        """Return the reason why a file cannot have this name; return an empty text if the name is possible."""
        if len(name) > LONGEST_NAME or len(name.encode()) > MOST_BYTES:
            return f"the file name {name[:30]}… is too long"
        if name.lower() not in self._taken or _has_time(Pattern((), name, is_name=True)):
            return ""
        taken = self._taken[name.lower()]
        if taken is None:
            return f"the file name {name} is reserved for a file that helio writes"
        other, stated_by = taken
        if other == writer:
            return ""  # one figure, stated twice
        return f"step {other if stated_by == step_id else stated_by} already writes a file called {name}"

    # Times ------------------------------------------------------------------------------------------------------

    def _span(self, step_id: StepId) -> TimeRange | None:
        """Return the time range from the first start to the last stop of a step's fetches, or None if it is unknown."""
        if not self._bound:
            return None
        spans: list[TimeRange] = []
        for text in self._ranges(step_id):
            try:
                spans.append(parse_time_range(text, self._context.now))
            except HelioError:
                return None  # the error is reported at the fetch
        if not spans:
            return None
        return TimeRange(min(span.start for span in spans), max(span.stop for span in spans))

    def _ranges(self, step_id: StepId) -> Iterator[str]:
        """Yield the time range of each fetch on which a step depends; yield an empty text if the step is unknown."""
        for step in map(self._by_id.get, reached(step_id, self._needs)):
            if step is None or step.tool_name not in self._context.signatures or step.for_each is not None:
                yield ""
            elif step.tool_name == FETCH and "time_range" in step.tool_args:
                yield str(step.tool_args["time_range"])


def _has_time(pattern: Pattern) -> bool:
    return any(name in TIMES for name in pattern.names)


def _is_open(pattern: Pattern) -> bool:
    """Return whether a text contains a variable."""
    return TOKEN.search(pattern.text) is not None or any(name not in TIMES for name in pattern.names)


def _put(value: Any, path: Path, new: str) -> Any:
    if not path:
        return new
    first, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {**value, first: _put(value[first], rest, new)}
    return [_put(inner, rest, new) if index == first else inner for index, inner in enumerate(value)]
