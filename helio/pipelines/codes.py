"""Every code of an edit or a diagnostic: what it says, why it is so, and an example before and after.

A code never changes its meaning. The family letter is the stage: P parse, N normalise, R resolve, X expand, O optimise,
G guarantee, V verify, S sources, B bind; E is execution and authoring, I helio itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Code:
    """One code.

    Parameters
    ----------
    code, kind, meaning : str
        ``"HO101"``, ``"edit safe"``, and what it says.
    why : str
        The reason, for whoever asks.
    before, after : str
        An example; `after` says what comes of it.
    """

    code: str
    kind: str
    meaning: str
    why: str
    before: str
    after: str

    def __str__(self) -> str:
        example = f"  before  {self.before}\n  after   {self.after}"
        return f"{self.code} ({self.kind})  {self.meaning}\n\n{self.why}\n\n{example}"

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "code": self.code,
            "kind": self.kind,
            "meaning": self.meaning,
            "why": self.why,
            "before": self.before,
            "after": self.after,
        }


def explained(subject: str) -> Code | None:
    """The code that a text names, whatever its case.

    >>> found = explained("ho101")
    >>> found.kind if found else None
    'edit safe'
    """
    return CODES.get(subject.strip().upper())


_PARSE = (
    (
        "HP001",
        "error",
        "not readable as text or JSON at all",
        "Nothing in it can be taken for a plan; guessing would make one up.",
        "an empty file",
        "refused",
    ),
    (
        "HP002",
        "error",
        "truncated JSON",
        "It is refused, not repaired: the missing tail could hold the artefact.",
        '{"steps": [{"step_id": 1, "tool_name": "fetch_da',
        "refused",
    ),
    (
        "HP003",
        "error",
        "readable, but not a plan",
        "Prose, a number or a bare text has no steps.",
        "Hello! How can I help?",
        "refused",
    ),
    (
        "HP004",
        "error",
        "a plan without steps",
        "There is nothing to run, and success is never reported when nothing was done.",
        '{"steps": []}',
        "refused",
    ),
    (
        "HP101",
        "edit safe",
        "the envelope of a template supplied",
        "Models answer with a bare list, a single action or fenced JSON; what they hold is the same.",
        '[{"step_id": 1, "tool_name": "fetch_data", …}]',
        '{"steps": [{"step_id": 1, "tool_name": "fetch_data", …}]}',
    ),
)

_NORMALISE = (
    (
        "HN100",
        "edit safe",
        "defaults filled in",
        "Later passes read every step the same way.",
        '{"step_id": 1, "tool_name": …, "tool_args": …}',
        '… "intent": "", "produces": [], "depends_on": [], "critical": true',
    ),
    (
        "HN101",
        "edit safe + warning",
        "unknown key kept aside under annotations.unknown, not executed; an error in strict mode",
        "What nobody reads must neither run nor get lost.",
        '"colour": "red" on a step',
        '"annotations": {"unknown": {"colour": "red"}}',
    ),
    (
        "HN102",
        "edit safe",
        "key synonym or planner dialect renamed; two entries where one fits is an error",
        "Planners call the same things by other names.",
        '"goal": "fetch B", "relevant_tools": ["fetch_data"]',
        '"intent": "fetch B", "tool_name": "fetch_data"',
    ),
    (
        "HN201",
        "edit safe",
        "null-like value removed from an optional field that is no text",
        '"None" in an argument means that it was left out; in words it is a word.',
        '"units": "None"',
        "no units",
    ),
    (
        "HN301",
        "edit safe",
        "numeric id given as text made a number, and references with it",
        '1 and "1" are one id; it is written one way.',
        '"step_id": "1"',
        '"step_id": 1',
    ),
    (
        "HN302",
        "edit safe",
        "missing id supplied",
        "Every step needs one; nobody is renumbered.",
        '{"tool_name": "fetch_data", …}',
        '{"step_id": 1, "tool_name": "fetch_data", …}',
    ),
    (
        "HN303",
        "error",
        "one id, two different steps",
        "References to it could mean either, so neither is renumbered.",
        "two steps with the id 1",
        "refused, both places named",
    ),
    (
        "HN304",
        "edit safe",
        "one id, the identical step twice: one kept",
        "The second says nothing new.",
        "the same step 1, twice",
        "step 1, once",
    ),
    (
        "HN401",
        "edit safe",
        "tool name in another spelling",
        "Case, punctuation and known synonyms do not change which tool is meant.",
        '"tool_name": "Fetch-Data"',
        '"tool_name": "fetch_data"',
    ),
    (
        "HN402",
        "error",
        "unknown tool",
        "The closest names are suggested and never applied: another tool would do other work.",
        '"tool_name": "fetch_dta"',
        "refused: did you mean 'fetch_data'?",
    ),
    (
        "HN403",
        "edit safe",
        "a saved pipeline's id used as a tool",
        "Only one of both exists under that name.",
        '"tool_name": "ace-bfield-overview"',
        '"use": "ace-bfield-overview"',
    ),
    (
        "HN404",
        "edit safe",
        "a tool used as a pipeline",
        "Only one of both exists under that name.",
        '"use": "fetch_data", "with": {…}',
        '"tool_name": "fetch_data", "tool_args": {…}',
    ),
    (
        "HN501",
        "edit safe",
        "argument synonym renamed",
        "The value stays; only its name is the tool's own.",
        '"dataset": "AC_H2_MFI"',
        '"dataset_id": "AC_H2_MFI"',
    ),
    (
        "HN502",
        "error",
        "a synonym and the argument itself disagree",
        "Which one is meant cannot be told.",
        '"dataset_id": "AC_H2_MFI", "dataset": "AC_H0_MFI"',
        "refused",
    ),
    (
        "HN503",
        "lossy (repair) or error (run)",
        "unknown argument with a meaning",
        "Dropping it silently would do something else than was asked; authoring keeps it aside.",
        '"resample": "1min" on a fetch',
        '"annotations": {"dropped_args": {"resample": "1min"}}',
    ),
    (
        "HN504",
        "lossy (repair) or error (run)",
        "misspelt argument",
        "It is renamed only while authoring, where one name is close, its value fits, and that one is missing.",
        '"time_rnge": "2024"',
        '"time_range": "2024"',
    ),
    (
        "HN505",
        "edit safe",
        "a value in another spelling",
        'JSON in a text, "true", "no" and trailing commas have one reading.',
        '"critical": "no"',
        '"critical": false',
    ),
    (
        "HN506",
        "error",
        "required argument missing",
        "No pass chooses physics, so none fills it in.",
        'fetch_data without "dataset_id"',
        "refused",
    ),
    (
        "HN507",
        "edit safe",
        "unknown argument without meaning removed",
        "Null, empty, or the default: it asks for nothing.",
        '"filter": ""',
        "no filter",
    ),
    (
        "HN601",
        "edit safe",
        "spelling of a variable",
        "Every template language has its own brackets.",
        '"time_range": "{{TIME_RANGE}}"',
        '"time_range": "$TIME_RANGE"',
    ),
    (
        "HN602",
        "error",
        "undeclared variable",
        "A near miss is a suggestion: a second variable may have been meant.",
        '"time_range": "$TIMERANGE"',
        "refused: did you mean $TIME_RANGE?",
    ),
    (
        "HN603",
        "warning",
        "variable declared, never used",
        "A value given for it would change nothing.",
        '"$MISSION": {"type": "string"}, used nowhere',
        "said, and left",
    ),
    (
        "HN604",
        "edit safe",
        "built-in $TIME_RANGE declared as required",
        "No default is invented: whoever runs it says the range.",
        '"time_range": "$TIME_RANGE", not declared',
        '"variables": {"$TIME_RANGE": {"type": "time_range", "required": true}}',
    ),
    (
        "HN605",
        "edit safe",
        "variable declared without its $",
        "The name is the same.",
        '"TIME_RANGE": {…}',
        '"$TIME_RANGE": {…}',
    ),
    (
        "HN701",
        "edit safe",
        "time value in its one spelling",
        "Lists, objects, offsets and every accepted form name one half-open interval in UTC.",
        '"time_range": ["2024-01-01", "2024-01-08"]',
        '"time_range": "2024-01-01 to 2024-01-08"',
    ),
    (
        "HN702",
        "error",
        "time phrase not understood completely",
        "Half understood, it would silently be another range.",
        '"last 3 days of January 2024"',
        "refused, the accepted forms named",
    ),
    (
        "HN703",
        "error",
        "reversed or empty range",
        "Swapping it is a guess; it is offered.",
        '"2024-01-20 to 2024-01-15"',
        'refused: "2024-01-15 to 2024-01-20"?',
    ),
    (
        "HN704",
        "edit safe",
        "relative phrase in its one spelling",
        "It stays relative until a run resolves it against one clock.",
        '"past 5 days"',
        '"last 5 days"',
    ),
)

_RESOLVE = (
    (
        "HR101",
        "edit safe",
        "produces derived from the tool",
        "The tool knows what it gives.",
        '"output_label": "B"',
        '"produces": ["B"]',
    ),
    (
        "HR102",
        "error",
        "declared produces contradicts the tool",
        "One of both is wrong, and readers of the label would find out late.",
        '"produces": ["C"] with "output_label": "B"',
        "refused",
    ),
    (
        "HR103",
        "error",
        "a label produced twice, or overwritten in place",
        "A label is one table; renaming is a suggestion.",
        'two steps with "output_label": "B"',
        "refused",
    ),
    (
        "HR201",
        "edit safe",
        "labels in a comma string made a list",
        "The longest known label is taken first, since a label may hold a comma.",
        '"labels": "B(x,y),AC_H2_MFI.BGSEc"',
        '"labels": ["B(x,y)", "AC_H2_MFI.BGSEc"]',
    ),
    (
        "HR202",
        "edit safe",
        "label respelt",
        "Exactly one label is the same but for case and space.",
        '"ac_h2_mfi.bgsec "',
        '"AC_H2_MFI.BGSEc"',
    ),
    (
        "HR203",
        "error",
        "label that nobody produces",
        "Inserting a fetch is a suggestion: a pass never picks a data set.",
        '"source_label": "AC_H2_MFI.BGSEc" without its fetch',
        "refused",
    ),
    (
        "HR301",
        "edit safe",
        "dependency derived from a label or figure",
        "A step waits for whoever gives what it reads.",
        '2 reads "AC_H2_MFI.BGSEc" of 1',
        '"depends_on": [1]',
    ),
    (
        "HR302",
        "edit safe",
        "dependency on itself removed",
        "No step waits for itself.",
        '1: "depends_on": [1]',
        '1: "depends_on": []',
    ),
    (
        "HR303",
        "error",
        "dependency on a step that does not exist",
        "It may have been meant to be another one.",
        '"depends_on": [7] in a plan of 3 steps',
        "refused",
    ),
    (
        "HR304",
        "edit safe",
        "dependency written as a label",
        "The label has one producer.",
        '"depends_on": ["AC_H2_MFI.BGSEc"]',
        '"depends_on": [1]',
    ),
    (
        "HR305",
        "edit safe",
        "dependency in another shape",
        "It names one step.",
        '"depends_on": "step 1"',
        '"depends_on": [1]',
    ),
    (
        "HR401",
        "edit safe",
        "order made topological",
        "Each step stands after those it waits for; ids stay.",
        "2 before 1, on which it rests",
        "1, 2",
    ),
    (
        "HR402",
        "error",
        "cycle",
        "No edge is cut: which one is not meant cannot be told.",
        "1 waits for 3, 3 for 2, 2 for 1",
        "refused: 1 -> 2 -> 3 -> 1",
    ),
    (
        "HR501",
        "edit safe",
        "time wired by its type to the one time variable",
        "There is only one it could be.",
        "fetch_data without time_range",
        '"time_range": "$TIME_RANGE"',
    ),
    (
        "HR502",
        "error",
        "two time variables could be meant",
        "Choosing would choose the event.",
        "$EVENT and $QUIET, and a fetch without time_range",
        "refused, both named",
    ),
    (
        "HR601",
        "edit safe",
        "literal time range made a variable, with the literal as default",
        "A template is for other days too; a pin keeps the literal.",
        '"time_range": "last 5 days"',
        '"time_range": "$TIME_RANGE"',
    ),
    (
        "HR602",
        "warning",
        "a second, different literal is kept",
        "It may be a reference interval, which another range for the run must not move.",
        '"2019-06-01 to 2019-06-02" beside $TIME_RANGE',
        "kept and said",
    ),
    (
        "HR701",
        "edit safe",
        "style, manage or export wired to the one figure it can mean",
        "There is only one figure.",
        "style_plot without depends_on",
        '"depends_on": [3]',
    ),
    (
        "HR702",
        "error",
        "none, or more than one figure could be meant",
        "A style on the wrong figure looks right.",
        "two plots and a style without depends_on",
        "refused, both named",
    ),
    (
        "HR703",
        "edit safe",
        "export placed after all styles of its figure",
        "A style is a declaration, not an action in time.",
        "plot, export, style",
        "plot, style, export",
    ),
)

_EXPAND = (
    (
        "HX101",
        "edit safe",
        "sub-pipeline inlined",
        "One plan is executed; its ids, and labels that exist already, stand under the calling step's.",
        '2: "use": "mag"',
        "2.1: fetch_data, 2.2: magnitude",
    ),
    (
        "HX102",
        "error",
        "sub-pipelines too deep or recursive",
        "It would not end, or nobody could follow it.",
        "a uses b, b uses a",
        "refused: a -> b -> a",
    ),
    (
        "HX103",
        "error",
        "a pipeline that does not exist, or has no such variable",
        "A value that nothing takes would be ignored.",
        '"use": "maag"',
        "refused: did you mean 'mag'?",
    ),
    (
        "HX201",
        "lossy (repair) or error (run)",
        "loop over literals: the one argument left whose known values contain every item",
        "The author did not say which argument it is.",
        '"loop_over": ["AC_H2_MFI", "AC_H0_MFI"]',
        '"for_each": {"as": "$ITEM", "over": […]}, "dataset_id": "$ITEM"',
    ),
    (
        "HX202",
        "error",
        "loop over literals whose argument cannot be told",
        "None takes all items, or several do.",
        '"loop_over": ["x", "y"]',
        "refused",
    ),
    (
        "HX203",
        "edit safe",
        "loop over one time phrase made the time argument",
        "One range is no loop.",
        '"loop_over": ["past 3 days"]',
        '"time_range": "past 3 days"',
    ),
    (
        "HX204",
        "edit safe",
        "duplicate items of a map removed",
        "They would give the same labels twice.",
        '"over": ["AC_H2_MFI", "AC_H2_MFI"]',
        '"over": ["AC_H2_MFI"]',
    ),
    (
        "HX205",
        "edit safe",
        "loop over literals whose $ITEM stands in the arguments: for_each added",
        "The author has said which argument it is.",
        '"loop_over": ["AC_H2_MFI", "AC_H0_MFI"], "dataset_id": "$ITEM"',
        '"for_each": {"as": "$ITEM", "over": ["AC_H2_MFI", "AC_H0_MFI"]}, "dataset_id": "$ITEM"',
    ),
    (
        "HX301",
        "edit safe",
        "interval variable used without a loop: for_each added",
        "An interval has a value for each part of its range.",
        '"window": "$DAY"',
        '"for_each": {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}}',
    ),
    (
        "HX302",
        "edit safe",
        "per-interval loop around a tool that takes any range unwrapped",
        "The records are the same, in one request.",
        "fetch for each $DAY of $TIME_RANGE",
        "fetch of $TIME_RANGE",
    ),
    (
        "HX303",
        "error",
        "too many items in a map",
        "The policy bounds what one step can become.",
        "24 years of days",
        "refused: 8766 items are more than 1000",
    ),
    (
        "HX304",
        "error",
        "items that would have to be put together",
        "This version keeps items apart, each under its own label.",
        '"collect": "concat" of a computed label',
        "refused: the variable in the label",
    ),
    (
        "HX305",
        "error",
        "items that are not known before the run",
        "A plan names all that it does; nothing appears while it runs.",
        '"over": {"components_of": LABEL}, of unknown size',
        "refused: name them",
    ),
    (
        "HX401",
        "lossy (repair) or error (run)",
        "vector where a scalar is needed: one item per component",
        "One of the components may have been meant.",
        "compute_spectrogram of a vector",
        '"for_each": {"as": "$COMPONENT", "over": {"components_of": LABEL}}',
    ),
    (
        "HX402",
        "edit safe",
        "parameters of the wrong type left out of such a map",
        "The tool has no result for them.",
        'a map over ["Magnitude", "BGSEc"] that needs scalars',
        '"over": ["Magnitude"]',
    ),
    (
        "HX501",
        "edit safe",
        "maps over one source fused into a block",
        "Each item goes through all of its steps by itself.",
        "for $DS: fetch; for $DS: magnitude",
        "for $DS: [fetch, magnitude]",
    ),
    (
        "HX502",
        "edit safe",
        "label with * became the labels that it stands for",
        "All that match are known.",
        '"labels": ["*.mag"]',
        '"labels": ["AC_H2_MFI.mag", "AC_H0_MFI.mag"]',
    ),
    (
        "HX601",
        "warning",
        "a map that could be one call",
        "Its items could be worked on together; whether they may is the author's to say.",
        "custom_operation for each component",
        "a hint",
    ),
)

_OPTIMISE = (
    (
        "HO101",
        "edit safe",
        "fetches of one data set and range merged, parameters in catalogue order",
        "One request instead of several; servers want that order.",
        "1: BGSEc; 2: Magnitude, of one data set",
        '1: "parameters": ["Magnitude", "BGSEc"]',
    ),
    (
        "HO201",
        "edit safe",
        "equal work done once",
        "The same tool on the same input gives the same table.",
        "1: fetch B; 2: fetch B",
        "1: fetch B",
    ),
    (
        "HO301",
        "edit safe",
        "plot and its styles made one render_spec",
        "A style is a declaration about a figure; later ones win, key by key.",
        'plot_data(labels=[B]); style_plot(title="B")',
        'render_spec(spec={labels: [B], title: "B"})',
    ),
    (
        "HO401",
        "edit safe; lossy (repair) or error (run) for an unknown key",
        "panel label missing from labels added; an unknown key of a figure is refused with the valid ones",
        "A figure draws only its labels.",
        '"labels": ["B"], "panels": [["B"], ["n"]]',
        '"labels": ["B", "n"]',
    ),
)

_GUARANTEE = (
    (
        "HG101",
        "edit safe",
        "a render without labels gets the terminal ones",
        "What nothing else uses is what the plan is for.",
        '"spec": {}',
        '"spec": {"labels": ["ACE_Bmag"]}',
    ),
    (
        "HG102",
        "error",
        "nothing to render",
        "A made-up figure would look like a result.",
        '"spec": {"labels": []} in a plan without data',
        "refused",
    ),
    (
        "HG201",
        "edit safe",
        "no artefact: a render of the terminal labels appended",
        "Every run ends in something to look at.",
        "fetch; magnitude",
        "fetch; magnitude; render_spec",
    ),
    (
        "HG301",
        "edit safe",
        "a critical step rested on a non-critical one: made critical",
        "Its failure fails the run anyway.",
        '1: "critical": false; 2, on 1: "critical": true',
        '1: "critical": true',
    ),
)

_VERIFY = (
    (
        "HV101",
        "error",
        "a field or argument is not of its type",
        "Nothing reads further before it is.",
        '"depends_on": {"a": 1}',
        "refused",
    ),
    (
        "HV104",
        "error",
        "two files of one name, or a name that no disk takes",
        "One would overwrite the other.",
        'two exports with "filename": "b.csv"',
        "refused",
    ),
    (
        "HV105",
        "error",
        "arguments of a fetch that do not go together",
        "One of them would be ignored.",
        '"candidates": […] with "dataset_id": …',
        "refused",
    ),
    (
        "HV106",
        "error",
        "a saved plan is not what its template gives",
        "It is damaged, or was planned by another version.",
        "helio run plan.json, edited by hand",
        "refused: helio plan, again",
    ),
    (
        "HV301",
        "warning",
        "step that nothing uses",
        "It is reported with its removal as a suggestion, and never pruned silently.",
        "a fetch that nothing reads or draws",
        "said, and run",
    ),
    (
        "HV302",
        "warning",
        "label that nothing uses",
        "It is worked out, and nobody sees it.",
        '"output_label": "ACE_Bmag", drawn nowhere',
        "said, and computed",
    ),
    (
        "HV601",
        "error",
        "code outside the allow-list",
        "Code from a template is hostile until shown otherwise; a list of what is allowed is the first wall.",
        "import os; result = df",
        "refused, each line named",
    ),
    (
        "HV602",
        "error",
        "code that never assigns result",
        "What it gives is what 'result' holds.",
        "x = df.abs()",
        "refused",
    ),
    (
        "HV603",
        "warning (check) or error (run)",
        "a tool that this version reads and does not run",
        "The plan is sound; whoever executes it refuses it.",
        "custom_operation",
        "said by helio check, refused by helio run",
    ),
    (
        "HV701",
        "error",
        "more steps than the policy allows",
        "A plan has to end.",
        "6000 steps",
        "refused: 6000 steps are more than 5000",
    ),
    (
        "HV910",
        "info",
        "step without an intent",
        "Whoever reads the plan next would like to know.",
        '"intent": ""',
        "noted",
    ),
)

_SOURCES = (
    (
        "HS101",
        "error",
        "nobody is named to serve the data",
        "Data never come from somewhere silently.",
        "helio run gle73-particles",
        "refused: --archive sample",
    ),
    (
        "HS102",
        "error",
        "no provider of that name",
        "A folder is never opened because a template says so.",
        '"provider": "/etc"',
        "refused",
    ),
)

_BIND = (
    (
        "HB101",
        "edit bind",
        "the run's one clock, phrase and result",
        "A phrase is resolved once per run and recorded.",
        '"last 7 days"',
        '"2024-03-24 to 2024-03-31"',
    ),
    (
        "HB201",
        "edit bind",
        "variable replaced by its value",
        "Whole tokens only, never in code or words.",
        '"time_range": "$TIME_RANGE"',
        '"time_range": "2024-01-01 to 2024-01-02"',
    ),
    (
        "HB202",
        "error",
        "required variable without a value",
        "There is no silent last 7 days.",
        '"required": true, and no --time-range',
        "refused: give it with --time-range",
    ),
    (
        "HB203",
        "error",
        "a value for a variable that the template does not have",
        "It would be ignored.",
        "--set TIMERANGE=2024",
        "refused: did you mean $TIME_RANGE?",
    ),
    (
        "HB204",
        "error",
        "a value that does not fit its variable or argument",
        "It is said before anything runs.",
        "--set N=three for an integer",
        "refused",
    ),
    (
        "HB301",
        "edit bind + warning",
        "range partly outside known coverage: clamped, recorded",
        "What exists is fetched, and the record says what was asked for.",
        '"2025-12-20 to 2026-01-10", covered to 2025-12-31',
        '"2025-12-20 to 2025-12-31"',
    ),
    (
        "HB302",
        "error",
        "range wholly outside known coverage",
        "The covered range is named.",
        "ACE in 1990",
        "refused: 1997-09-02 to …",
    ),
    (
        "HB303",
        "edit bind",
        "time range and caption of a figure",
        "A figure over fetches of one range shows all of it.",
        "render_spec",
        '"time_range": "2024-05-10 to 2024-05-12"',
    ),
    (
        "HB304",
        "edit bind",
        "file name of an export",
        "It is called after its label.",
        '"source_label": "AC_H2_MFI.BGSEc"',
        '"filename": "AC_H2_MFI.BGSEc"',
    ),
    (
        "HB305",
        "edit bind",
        "what was said to be done with a figure left out of the run",
        "Every figure of a run is written anyway; the static formats are the run's to choose.",
        'manage_plot(action="export", filename="out.png")',
        "left out; helio run --format png",
    ),
    (
        "HB401",
        "edit bind",
        "map expanded to concrete items",
        "Each item is a step of its own, with its own state.",
        "3: for each $DAY of 2024-01-10 to 2024-01-12",
        "3[2024-01-10], 3[2024-01-11]",
    ),
    (
        "HB402",
        "error, or warning and edit bind for a step that is not critical",
        "empty map",
        "A critical step that does nothing is no success; another one is skipped, and all that rests on it.",
        '"over": []',
        "refused",
    ),
    (
        "HB501",
        "edit bind",
        "input taken from an earlier run, by identity",
        "The same work has the same key.",
        "a label of an earlier run",
        "its digest",
    ),
    (
        "HB502",
        "error",
        "no earlier run offers that identity",
        "Both are named: what is wanted and what there is.",
        "a run that was deleted",
        "refused",
    ),
    (
        "HB601",
        "edit bind",
        "schedule of each step, with the reason",
        "What will be run is known before it is.",
        "3 steps",
        "1: cached, 2: run, 3: run",
    ),
)

_EXECUTE = (
    (
        "HE201",
        "warning",
        "a later candidate was used; all attempts listed",
        "Nothing else ever falls back silently, and this one says so.",
        '"candidates": ["AC_H0_MFI", "AC_K0_MFI"]',
        "AC_H0_MFI was passed over: no data",
    ),
    (
        "HE301",
        "error",
        "a repair touches a step that it did not declare",
        "What an edit does not name stays byte for byte the same.",
        "a change of colour that moves a fetch",
        "refused",
    ),
    (
        "HE302",
        "error",
        "a repair uses what was ruled out",
        "It would fail again.",
        "a data set known to be absent",
        "refused",
    ),
    (
        "HE303",
        "error",
        "a repair equal to an earlier one, or leaving the same diagnostics",
        "It leads nowhere.",
        "the same patch twice",
        "refused",
    ),
    (
        "HE304",
        "error",
        "a repair weakens critical, a pin, the range or the artefact",
        "Making an error go away is not mending it.",
        '"critical": false on the step that failed',
        "refused",
    ),
    (
        "HI001",
        "error",
        "passes do not converge; they are named",
        "Two rewrites that undo each other are a mistake of helio's.",
        "a pass that edits in every round",
        "refused, the passes named",
    ),
    (
        "HI002",
        "error",
        "a pass raised or broke the plan; it is named, the plan untouched",
        "A mistake of one pass must not take the plan with it.",
        "a pass that raises",
        "refused, the pass named",
    ),
    (
        "HI003",
        "error",
        "something was left to edit after the last round",
        "A plan that is executed has nothing left to edit.",
        "an edit found by the final check",
        "refused",
    ),
)

CODES: Mapping[str, Code] = {
    row[0]: Code(*row)
    for rows in (
        _PARSE,
        _NORMALISE,
        _RESOLVE,
        _EXPAND,
        _OPTIMISE,
        _GUARANTEE,
        _VERIFY,
        _SOURCES,
        _BIND,
        _EXECUTE,
    )
    for row in rows
}
"""Every code by its name, by stage."""
