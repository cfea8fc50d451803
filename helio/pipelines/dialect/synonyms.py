"""Synonyms of keys, tools, arguments and values, which people and language models write in templates.

A key, a tool and an argument are first compared without regard to case, blanks, hyphens and underscores; these
tables hold the synonyms. A word stands for the first name of its table that has it, and only where that
name is not there already. In the tables, blanks separate the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from helio.errors import closest
from helio.interval import READ_LENGTHS
from helio.steps.signature import Signature, signatures

TOOL_ARGS = (
    "arguments args parameters params kwargs inputs tool_arguments tool_parameters tool_params tool_input "
    "tool_inputs action_input input arg"
)
"""Synonyms of the key ``tool_args``."""

TEMPLATE_KEYS: Mapping[str, str] = {
    "id": "pipeline_id template_id",
    "name": "title pipeline_name template_name",
    "description": "goal objective summary",
    "artifact": "artefact artifacts artefacts artifact_type",
    "variables": "vars params parameters template_variables",
    "steps": "plan tasks phases actions stages meta_plan operations tool_calls calls workflow pipeline_steps",
}

STEP_KEYS: Mapping[str, str] = {
    "step_id": "id step step_number step_no number phase phase_number phase_id task_id task_number",
    "tool_name": (
        "tool tools relevant_tools relevant_tool function function_name action action_name operation "
        "tool_id tool_names"
    ),
    "tool_args": TOOL_ARGS,
    "intent": "goal purpose description instruction objective why",
    "produces": "outputs output_labels produced creates provides",
    "depends_on": (
        "dependencies dependency depends deps requires needs after prerequisites wait_for waits_for run_after"
    ),
    "critical": "is_critical required must_succeed",
    "retries": "max_retries num_retries n_retries number_of_retries retry_count",
    "retry_delay": "retry_wait retry_pause retry_interval retry_after delay_between_retries retry_delay_seconds",
    "pin": "pins pinned",
    "loop_over": "iterate_over loop foreach_item over",
    "use": "pipeline sub_pipeline template executable_prompt prompt use_pipeline",
    "with": "with_args with_variables prompt_arguments prompt_args bindings",
}

LOOP_KEYS: Mapping[str, str] = {
    "as": "var variable item name",
    "over": "in items values list",
}

VARIABLE_KEYS: Mapping[str, str] = {
    "type": "kind var_type data_type",
    "default": "value default_value",
    "description": "desc help doc",
    "required": "mandatory",
    "choices": "options enum allowed allowed_values values",
    "minimum": "min",
    "maximum": "max",
}

VARIABLE_TYPES: Mapping[str, str] = {
    "time_range": "date_range time_interval time_span period",
    "string": "str text",
    "number": "float double numeric",
    "integer": "int whole_number",
    "boolean": "bool flag",
    "enum": "choice select",
    "dataset": "dataset_id",
    "parameter": "parameter_id",
    "duration": "timedelta length",
}

_SHOWS = (
    "only shows data: it gives no result that a pipeline could keep",
    "remove the step; to see the data of a run, use `helio describe RUN LABEL`",
)
_SEARCHES = (
    "searches for data, which no run does",
    "remove the step, and name the dataset in fetch_data; to search, use `helio datasets search WORDS`",
)
_LOOKS_UP = (
    "looks up a dataset, which no run does",
    "remove the step; to see parameters and times, use `helio datasets show DATASET`",
)
_TELLS_TIME = (
    "gives dates, which a time range does by itself",
    'remove the step, and write the time range in words: "time_range": "last 3 days"',
)
_ASKS_MODEL = (
    "asks a language model, which no run does",
    "write its work as steps, or let helio propose them: `helio edit PIPELINE REQUEST`",
)
_REPORTS = (
    "writes a report in words, which no run does",
    "remove the step; to read about a run, use `helio show RUN`",
)
_CONVERSES = (
    "belongs to a conversation, and not to a pipeline",
    "remove the step; for a conversation, use `helio chat PIPELINE`",
)
ELSEWHERE: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("describedata", "previewdata", "listfetcheddata"), _SHOWS),
    **dict.fromkeys(("searchdatasets", "searchfullcatalog", "browsedatasets", "listmissions"), _SEARCHES),
    **dict.fromkeys(("listparameters", "getdataavailability", "getdatasetdocs"), _LOOKS_UP),
    **dict.fromkeys(("tdacurrentdate", "tdadaterange"), _TELLS_TIME),
    **dict.fromkeys(("tdallmtask", "llmtask", "readdocument", "googlesearch"), _ASKS_MODEL),
    **dict.fromkeys(("tdafinalreport", "tdacomplexpromptreport", "tdacontextreport"), _REPORTS),
    **dict.fromkeys(
        (
            *("askclarification", "recallmemories", "requestplanning", "delegatetomission"),
            *("delegatetovisualization", "delegatetodataops", "delegatetodataextraction"),
        ),
        _CONVERSES,
    ),
    **dict.fromkeys(
        ("getfunctiondocs", "searchfunctiondocs"),
        (
            "explains functions, which no run does",
            "remove the step; to read about a tool, use `helio tools TOOL`",
        ),
    ),
    **dict.fromkeys(
        ("savepipeline", "runpipeline", "listpipelines", "deletepipeline"),
        (
            "is about pipelines, and not a step of one",
            'use `helio run`, `helio list` or `helio import`; to use a pipeline in a step, write "use": "NAME"',
        ),
    ),
    "tdacharting": (
        "draws a figure in another program",
        "use render_spec or plot_data, with the labels to draw",
    ),
}
"""Names of tools of planners, without case and underscores, that a pipeline cannot have: what such a tool does, and
what to do instead."""

ARGUMENTS: Mapping[str, str] = {
    "dataset_id": "dataset dataset_name data_set data_set_id ds id product",
    "parameter_id": "parameter param param_id parameter_name variable variable_name var",
    "parameters": "params parameter_ids param_ids parameter_names parameter_list variables",
    "candidates": "candidate_datasets dataset_candidates",
    "time_range": "timerange time time_interval time_span date_range period interval",
    "source_labels": "input_labels inputs sources source_label input_label input source",
    "source_label": (
        "input_label input source label source_labels input_labels inputs data data_label series"
    ),
    "labels": "label source_labels source_label input_labels inputs",
    "output_label": (
        "output out_label output_name result_label new_label label name result as alias save_as store_as"
    ),
    "pandas_code": "code python_code",
    "python_code": "code pandas_code",
    "spec": "plot_spec figure_spec render_spec",
    "filename": "file file_name path output_file output_filename output_file_name save_as save_to save_path",
    "format": "file_format fmt",
    "formats": "format file_formats file_format output_formats output_format image_format",
    "window": "window_size window_length",
    "cadence": "resolution sampling freq frequency time_step",
    "keep": "components names",
    "bands": "energy_bands ranges frequency_bands",
    "limit": "max_gap gap_limit maximum_gap max_gap_length",
    "threshold": "n_sigma nsigma n_sigmas",
    "low": "low_frequency lowcut low_cutoff f_low f_min fmin low_hz",
    "high": "high_frequency highcut high_cutoff f_high f_max fmax high_hz",
    "operation": "op operator",
    "factor": "scale_factor multiplier",
    "overlap": "overlap_fraction window_overlap",
    "taper": "window_function window_type taper_type",
    "left_label": "left first_label",
    "right_label": "right second_label",
    "onto_label": "onto target_label target reference_label",
    "series_label": "series source_label source input_label",
    "flag_label": "flag quality_label quality_flag quality_flag_label",
    "where": "condition comparison",
    "to": "target_frame to_frame output_frame target_unit target_units to_unit to_units output_units",
    "interval": "time_range time_interval analysis_interval",
    "matrix": "rotation_matrix",
    "density_label": "density number_density_label number_density",
    "velocity_label": "velocity speed_label speed flow_speed_label flow_speed",
    "field_label": "field magnetic_field_label magnetic_field b_label",
    "temperature_label": "temperature",
    "electrons_label": "electron_temperature_label",
    "alpha_ratio_label": "alpha_ratio alpha_proton_ratio_label",
    "assumed_alpha": "alpha_fraction",
    "bz_label": "bz bz_gsm_label",
    "pressure_label": "pressure dynamic_pressure_label",
    "position_label": "position",
    "radius_label": "radius",
    "axes_label": "axes",
    "provider": "data_source archive",
    "units": "unit",
    "unit": "units",
    "frame": "coordinate_frame coordinate_system",
    "log_scale": "yscale y_scale",
    "linthresh": "linthreshy lin_thresh linear_threshold",
    "y_label": "ylabel y_axis_label y_labels axis_labels",
    "x_label": "xlabel x_axis_label",
    "trace_colors": "colors colours trace_colours line_colors",
    "canvas_size": "size figure_size figsize",
    "x_range": "xlim x_lim",
    "y_range": "ylim y_lim",
    "vrects": "shade shaded shading shaded_intervals vspans axvspan",
    "vlines": "vertical_lines axvline",
    "hlines": "thresholds horizontal_lines axhline",
    "events": "event_intervals event_spans",
}

LENGTHS = "period duration width"
"""Synonyms of ``window``, for tools without any other argument for a length of time."""
AMONG_ARGUMENTS = "as data ds id name product result var"
"""Words that are names of arguments inside ``tool_args``, but mean something else as keys of a step or a template."""
NOTES = (
    "note notes comment comments remark remarks reason reasons reasoning rationale description explanation "
    "justification purpose intent goal why thought thoughts todo summary memo doc"
)
"""Names of arguments that hold notes for people and change no result."""

QUALIFIERS: Mapping[str, str] = {
    "use a parameter in that frame, or add a step with transform_frame": (
        "frame frames coords coord coordinates coordinate_system coordinate_frame coord_system "
        "coord_frame reference_frame target_frame coordsys system"
    ),
    "use a dataset of that cadence, or add a step with resample": (
        "cadence resolution sampling sampling_rate sample_rate sampling_period sampling_interval "
        "time_resolution temporal_resolution time_step step_size frequency freq rate average averaging "
        "averaging_window bin bin_size bin_width binning decimate every"
    ),
    "add a step with convert_units": "unit units output_unit output_units target_unit target_units",
    "add a step with components": "component components vector_component column columns axis axes dimension",
    "add a step with mask or mask_by_flag": (
        "quality quality_flag quality_flags quality_filter flag flags filter filters filtering filter_by "
        "valid valid_range validmin validmax exclude remove mask_out remove_outliers remove_bad outliers "
        "clean condition where"
    ),
    "add a step with interpolate": "fill fill_value fill_method gap gaps interpolation missing",
    "add a separate step for this operation": (
        "window window_size smoothing rolling detrending normalize normalise scaling scale calibration "
        "background background_subtraction method operation transform"
    ),
}
"""Unknown arguments that ask for another result, and advice how to get this result instead."""

CHOICES: Mapping[str, str] = {
    "add": "plus addition sum",
    "subtract": "minus subtraction difference",
    "multiply": "times multiplication product",
    "divide": "divided_by division quotient ratio",
    ">": "above greater greater_than gt",
    ">=": "at_least greater_or_equal ge",
    "<": "below less less_than lt",
    "<=": "at_most less_or_equal le",
    "equals": "equal equal_to is eq",
    "not": "not_equal not_equals not_equal_to is_not ne",
    "netcdf": "nc nc4 netcdf4 network_common_data_form",
    "cdf": "istp_cdf nasa_cdf",
    "parquet": "pq apache_parquet",
    "csv": "comma_separated text_csv",
    "figure": "plot plots figures image",
    "data": "table tables",
}
"""Synonyms of the values of fields with fixed choices."""

SYMBOLS: Mapping[str, str] = {
    **dict.fromkeys(("=", "=="), "equals"),
    **dict.fromkeys(("!=", "<>", "≠"), "not"),
    **{"≥": ">=", "≤": "<="},
}
"""Symbols for values of fields with fixed choices, such as ``≥``; `fold` is not used for symbols."""

RANGES: Mapping[str, str] = {
    "start": "stop end",
    "start_time": "end_time stop_time",
    "start_date": "end_date stop_date",
    "time_min": "time_max",
    "time_start": "time_end time_stop",
    "t_start": "t_end t_stop",
    "tmin": "tmax",
    "t0": "t1",
    "begin": "end",
    "date_from": "date_to",
    "from": "to",
}
"""Names for the start of a time range, each with the matching names for the stop."""

NULLS = ("none", "null", "undefined", "nil", "n/a", "")
"""Words that mean "no value", in upper or lower case."""

TRUTHS: Mapping[str, bool] = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
"""Words for true and false, such as "yes" and "no"."""

CLOSE = 0.8
"""Minimum similarity, from 0 to 1, of a misspelt name and the correct name."""

_PREFIX = re.compile(
    r"^(?:(?:functions?|tools?|default_api|helio|namespace|mcp)(?:\.|::|/|__))+", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """Return a name in lower case, without blanks, hyphens, underscores: ``Fetch-Data`` and ``fetchData`` become equal.

    >>> fold("Fetch-Data ") == fold("fetch_data")
    True
    """
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def folded(words: str) -> frozenset[str]:
    """Split a text at its blanks; return the set of its words, each in the one spelling that `fold` gives."""
    return frozenset(map(fold, words.split()))


def by_word(names: Iterable[str], table: Mapping[str, str]) -> dict[str, str]:
    """Map each name and each of its synonyms to the name; a synonym of two names means the first name.

    >>> by_word(["as", "over"], LOOP_KEYS)["items"]
    'over'
    """
    listed = list(names)
    meant = {fold(name): name for name in reversed(listed)}
    for name in listed:
        for word in table.get(name, "").split():
            meant.setdefault(fold(word), name)
    return meant


def is_null(value: object) -> bool:
    """Return whether a value means "no value", such as null, an empty text or ``"None"``."""
    return value is None or (isinstance(value, str) and value.strip().casefold() in NULLS)


def truth_of(text: str) -> bool | None:
    """Return True or False for a word such as ``"yes"``; return None for any other text."""
    return TRUTHS.get(text.strip().casefold())


def misspelt(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most similar to a misspelt name; return None if no name or several names are similar.

    >>> misspelt("varibles", ["variables", "steps"]), misspelt("colour", ["variables", "steps"])
    ('variables', None)
    """
    from difflib import SequenceMatcher  # only on the way to a finding, never at start-up

    written = name.casefold()
    close = [
        guess
        for guess in closest(name, known)
        if SequenceMatcher(None, written, guess.casefold()).ratio() >= CLOSE
    ]
    return close[0] if len(close) == 1 else None


def range_members(keys: Iterable[str]) -> tuple[str, str] | None:
    """Return the two keys that hold the start and the stop of one time range.

    >>> range_members(["endDate", "label", "startDate"])
    ('startDate', 'endDate')
    """
    written = {fold(key): key for key in keys}
    for start, stops in RANGES.items():
        for stop in stops.split():
            if fold(start) in written and fold(stop) in written:
                return written[fold(start)], written[fold(stop)]
    return None


def tool_spellings(known: Iterable[str]) -> Mapping[str, str]:
    """Map each spelling of a tool's name to the tool; leave out spellings that two tools share.

    >>> tool_spellings(["fetch_data"])["download"]
    'fetch_data'
    """
    return _tool_spellings(tuple(known))


@lru_cache(maxsize=8)
def _tool_spellings(names: tuple[str, ...]) -> Mapping[str, str]:
    counts = Counter(map(fold, names))
    spellings = {fold(tool): tool for tool in names if counts[fold(tool)] == 1}
    for tool, signature in signatures().items():
        if tool in names:
            for word in signature.synonyms:
                spellings.setdefault(fold(word), tool)
    return spellings


def spell_tool(name: str, spellings: Mapping[str, str]) -> str | None:
    """Return the tool with this name in any spelling; if the letters differ from all names, do not guess.

    >>> spell_tool("functions.Fetch-Data", tool_spellings(["fetch_data"]))
    'fetch_data'
    """
    return spellings.get(fold(_PREFIX.sub("", name.strip())))


def close_tools(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known tools whose names are similar to a misspelt name."""
    return closest(_PREFIX.sub("", name.strip()), known)


def argument_spellings(signature: Signature) -> dict[str, str]:
    """Map each spelling of an argument to the tool's argument."""
    names = [argument.name for argument in signature.arguments]
    spellings = by_word([*(name for name in ARGUMENTS if name in names), *names], ARGUMENTS)
    formats = {argument.name: argument.schema.get("format") for argument in signature.arguments}
    lengths = {name: kind for name, kind in formats.items() if kind in (*READ_LENGTHS, "time-range")}
    if lengths == {"window": "duration"}:
        spellings = dict.fromkeys(folded(LENGTHS), "window") | spellings
    return spellings


def key_spellings(signature: Signature) -> dict[str, str]:
    """Map spellings to the tool's arguments; leave out words that have another meaning as keys of a step."""
    names = {fold(argument.name) for argument in signature.arguments}
    only_inside = folded(AMONG_ARGUMENTS) - names
    return {word: name for word, name in argument_spellings(signature).items() if word not in only_inside}


def advice_for(name: str) -> str:
    """Return advice that names another way to get what an unknown argument requests; empty if helio knows none.

    >>> advice_for("coordinateSystem")
    'use a parameter in that frame, or add a step with transform_frame'
    """
    word = fold(name)
    tool = tool_spellings(signatures()).get(word)
    return _qualifiers().get(word) or (f"add a step with {tool}" if tool else "")


def is_note(name: str, value: object) -> bool:
    """Return whether an unknown argument is only a note for people."""
    texts = value if isinstance(value, list) else [value]
    return fold(name) in folded(NOTES) and all(isinstance(text, str) for text in texts)


def asks_for_something(name: str, *, in_step: bool) -> bool:
    """Return whether an unknown key of a step or a template seems to ask for a change of the results.

    >>> asks_for_something("coords", in_step=True), asks_for_something("notes", in_step=True)
    (True, False)
    """
    return fold(name) in _qualifiers() or fold(name) in (_step_arguments() if in_step else _data_arguments())


@cache
def _qualifiers() -> Mapping[str, str]:
    return {word: advice for advice, words in QUALIFIERS.items() for word in folded(words)}


@cache
def _data_arguments() -> frozenset[str]:
    """Return names that ask for data, such as names of datasets and time ranges."""
    names = ("dataset_id", "parameter_id", "time_range")
    asked = frozenset(by_word(names, ARGUMENTS)) - folded(f"{AMONG_ARGUMENTS} time variable")
    return asked | folded(" ".join((*RANGES, *RANGES.values())))


@cache
def _step_arguments() -> frozenset[str]:
    """Return names that ask for data or name a tool; a step may have such names as unknown keys."""
    tools = {fold(word) for name, tool in signatures().items() for word in (name, *tool.synonyms)}
    return _data_arguments() | tools
