"""A proposal changes nothing until it is accepted, and then only what it was made from."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from helio.authoring.proposals.merging import Conflict, merged
from helio.authoring.proposals.review import proposal_lines
from helio.authoring.proposals.store import Proposals
from helio.errors import HelioError, RequestError
from helio.pipelines.history import Writing
from helio.pipelines.library import Library
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.document import as_text


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "templates")


@pytest.fixture
def proposals(tmp_path: Path, library: Library) -> Proposals:
    return Proposals(tmp_path / "proposals", library)


@pytest.fixture
def mine(library: Library) -> str:
    shipped = library.read(library.find("ace-bfield-overview"))
    library.save({**shipped, "id": "mine"})
    return library.text(library.find("mine"))


def edited(proposals, mine, **more):
    after = mine.replace('"black"', '"red"')
    return proposals.add(
        kind="edited", pipeline="mine", request="in red", by="rules", before=mine, after=after, **more
    )


def test_nothing_changes_while_it_waits(proposals, library, mine):
    edited(proposals, mine)
    assert library.text(library.find("mine")) == mine


def test_an_accepted_change_is_in_the_pipeline_and_in_its_history(proposals, library, mine):
    made = edited(proposals, mine, prompt_digest="sha256:12")
    proposals.accept(made)
    assert '"red"' in library.text(library.find("mine"))
    last = library.history("mine").revisions()[-1]
    assert (last.kind, last.by, last.request, last.prompt_digest) == (
        "edited",
        "rules",
        "in red",
        "sha256:12",
    )
    library.history("mine").undo()
    assert library.text(library.find("mine")) == mine


def test_a_rejected_one_changes_nothing_and_cannot_be_accepted_later(proposals, library, mine):
    made = edited(proposals, mine)
    proposals.reject(made)
    with pytest.raises(RequestError, match="was rejected"):
        proposals.accept(made)
    assert library.text(library.find("mine")) == mine


def test_it_is_refused_when_the_pipeline_has_changed_there_meanwhile(proposals, library, mine):
    made = edited(proposals, mine)
    by_hand = mine.replace('"black"', '"green"')
    library.find("mine").path.write_text(by_hand)
    with pytest.raises(RequestError, match=r"has changed since.*colour of ACE_Bmag: black → red.*now green"):
        proposals.accept(made)
    assert library.text(library.find("mine")) == by_hand
    assert proposals.load(made.id).state == "pending"


def test_a_change_elsewhere_by_hand_stays_and_the_proposed_change_is_made(proposals, library, mine):
    made = edited(proposals, mine)
    by_hand = mine.replace('"ACE B-field overview"', '"My field"', 1) + "\n"
    assert by_hand != mine + "\n"
    library.find("mine").path.write_text(by_hand)
    proposals.accept(made)
    assert library.text(library.find("mine")) == by_hand.replace('"black"', '"red"')
    accepted = proposals.load(made.id)
    assert accepted.before == by_hand
    assert "had changed since" in accepted.notes[-1]


def test_a_new_pipeline_is_saved_under_its_id(proposals, library, mine):
    text = as_text({**json.loads(mine), "id": "other"})
    proposals.accept(
        proposals.add(kind="authored", pipeline="other", request="…", by="rules", before="", after=text)
    )
    assert library.text(library.find("other")) == text


def test_the_change_is_told_as_a_patch_and_in_words(proposals, mine):
    made = edited(proposals, mine)
    assert made.patch == [
        {"op": "replace", "path": "/steps/3/tool_args/trace_colors/ACE_Bmag", "value": "red"}
    ]
    assert [str(one) for one in made.changes] == ["step 4: colour of ACE_Bmag: black → red"]


def test_they_outlive_the_process_and_are_found_by_the_beginning_of_their_id(
    proposals, library, mine, tmp_path
):
    made = edited(proposals, mine, notes=("last week is 2024-01-13 to 2024-01-20",))
    later = Proposals(tmp_path / "proposals", library)
    assert later.load(made.id[:-1]) == made
    assert later.list(state="pending") == [made]
    with pytest.raises(RequestError, match="no proposal"):
        later.load("nothing")


def test_the_name_of_a_pipeline_means_its_only_pending_proposal(proposals, mine):
    first, second = proposed(proposals, mine, red), proposed(proposals, mine, titled)
    with pytest.raises(RequestError, match="2 proposals begin with 'mine'") as caught:
        proposals.load("mine")
    assert f"{second.id} ('{second.request}')" in caught.value.advice
    proposals.reject(first)
    assert proposals.load("mine") == second
    on_top = proposed(proposals, mine, red, on=second.id)
    assert proposals.load("mine") == on_top
    proposals.add(
        kind="edited", pipeline="mine-2", request="…", by="rules", before=mine, after=mine.replace("1", "2")
    )
    assert proposals.load("mine") == on_top
    proposals.reject(second)
    assert proposals.load("mine").pipeline == "mine-2"


def test_what_came_to_nothing_is_kept_for_the_record(proposals):
    made = proposals.add(
        kind="authored",
        pipeline="x",
        request="the impossible",
        by="gemini",
        before="",
        after="",
        diagnostics=({"code": "HE401"},),
    )
    assert proposals.load(made.id).state == "failed"
    with pytest.raises(RequestError, match="failed already"):
        proposals.accept(made)


# ---- changes of proposals, parts of proposals, and two proposals about the same pipeline


def changed(mine: str, change) -> str:
    template = json.loads(mine)
    change({str(step["step_id"]): step["tool_args"] for step in template["steps"]}, template)
    return as_text(template)


def proposed(proposals, mine, change, request="…", **more):
    return proposals.add(
        kind="edited",
        pipeline="mine",
        request=request,
        by="rules",
        before=mine,
        after=changed(mine, change),
        **more,
    )


def red(args, template):
    args["4"]["trace_colors"]["ACE_Bmag"] = "red"


def titled(args, template):
    args["4"]["title"] = "Field"


def with_average(args, template):
    step = {
        "step_id": "smooth",
        "tool_name": "running_average",
        "tool_args": {"source_label": "ACE_Bmag", "window": "10min", "output_label": "Smooth"},
    }
    template["steps"].insert(2, step)
    args["3"]["labels"] = ["ACE_B", "ACE_Bmag", "Smooth"]


def both(*parts):
    return lambda args, template: [part(args, template) for part in parts]


def test_a_change_of_a_proposal_is_accepted_with_what_is_beneath_it(proposals, library, mine):
    first = proposed(proposals, mine, red, "in red")
    second = proposed(proposals, first.after, titled, "title", on=first.id)
    assert [str(change) for change in second.changes] == [
        str(change) for change in proposed(proposals, mine, titled).changes
    ]
    assert (proposals.beneath(second), proposals.above(first)) == ([first], [second])
    proposals.accept(second)
    assert library.text(library.find("mine")) == second.after
    assert proposals.load(first.id).state == "accepted"
    requests = [revision.request for revision in library.history("mine").revisions()]
    assert requests[-2:] == ["in red", "title"]


def test_a_rejected_proposal_takes_its_changes_along(proposals, mine):
    first = proposed(proposals, mine, red)
    second = proposed(proposals, first.after, titled, on=first.id)
    rejected = proposals.reject(first, because="too loud")
    assert [gone.id for gone in rejected] == [first.id, second.id]
    first, second = proposals.load(first.id), proposals.load(second.id)
    assert (first.because, second.state, second.because) == ("too loud", "rejected", "")


def test_some_of_its_changes_are_accepted_and_the_others_are_kept_in_words(proposals, library, mine):
    made = proposed(proposals, mine, both(red, titled))
    texts = [str(change) for change in made.changes]
    number = next(number for number, text in enumerate(texts, 1) if "red" in text)
    proposals.accept(made, only=[number])
    text = library.text(library.find("mine"))
    assert text == mine.replace('"black"', '"red"')
    [left_out] = proposals.load(made.id).left_out
    assert "title" in left_out


@pytest.mark.parametrize(
    ("step_id", "said"), [("smooth", "no step uses the"), (3, "no step produces the label 'Smooth'")]
)
def test_a_part_that_is_of_no_use_without_another_is_refused(proposals, library, mine, step_id, said):
    made = proposed(proposals, mine, both(with_average, titled))
    numbers = {change.step_id: number for number, change in enumerate(made.changes, 1)}
    with pytest.raises(RequestError, match=said) as refused:
        proposals.accept(made, only=[numbers[step_id]])
    together = f"{numbers['smooth']},{numbers[3]}"
    assert f"accept {made.id} --only {together}`" in refused.value.advice
    assert library.text(library.find("mine")) == mine
    assert proposals.load(made.id).state == "pending"
    proposals.accept(made, only=[numbers["smooth"], numbers[3]])
    [left_out] = proposals.load(made.id).left_out
    assert "title" in left_out


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_number_that_no_change_has_is_refused(proposals, mine, number):
    with pytest.raises(RequestError, match="has no change"):
        proposals.accept(proposed(proposals, mine, both(red, titled)), only=[number])


@pytest.mark.parametrize("is_unknown", [True, False])
def test_changes_that_cannot_be_made_accept_nothing_beneath_them(proposals, library, mine, is_unknown):
    first = proposed(proposals, mine, red)
    second = proposed(proposals, first.after, with_average, on=first.id)
    alone = next(number for number, change in enumerate(second.changes, 1) if change.step_id == 3)
    with pytest.raises(HelioError):
        proposals.accept(second, only=[99 if is_unknown else alone])
    assert library.text(library.find("mine")) == mine
    assert proposals.load(first.id).state == "pending"


def test_a_new_pipeline_is_accepted_as_a_whole(proposals, mine):
    text = as_text({**json.loads(mine), "id": "other"})
    made = proposals.add(kind="authored", pipeline="other", request="…", by="rules", before="", after=text)
    with pytest.raises(RequestError, match="as a whole"):
        proposals.accept(made, only=[1])


@pytest.mark.parametrize(
    "order", [(red, with_average), (with_average, red), (titled, red), (with_average, titled)]
)
def test_of_two_proposals_about_different_places_both_are_accepted(proposals, library, mine, order):
    made = [proposed(proposals, mine, change) for change in order]
    for proposal in made:
        proposals.accept(proposal)
    wanted = changed(mine, both(*order))
    assert json.loads(library.text(library.find("mine"))) == json.loads(wanted)
    assert [proposal.state for proposal in proposals.list()] == ["accepted", "accepted"]


def with_panel(label):
    """Return a change that draws one more quantity in a new panel below, with its axis title, a line and a height."""

    def change(args, template):
        template["steps"].insert(
            1, {"step_id": label, "tool_name": "magnitude", "tool_args": {"output_label": label}}
        )
        spec = template["steps"][-1]["tool_args"]["spec"]
        spec["labels"].append(label)
        spec["panels"].append([label])
        spec["row_heights"].append(2)
        number = len(spec["panels"])
        spec["y_label"][str(number)] = f"{label} [nT]"
        spec["hlines"].append({"panel": number, "value": 0})

    return change


def test_two_changes_that_each_add_a_panel_are_merged_and_the_panels_keep_their_settings():
    before = {
        "id": "mine",
        "steps": [
            {"step_id": "b", "tool_name": "fetch_data", "tool_args": {}},
            {
                "step_id": "plot",
                "tool_name": "render_spec",
                "tool_args": {
                    "spec": {
                        "labels": ["B"],
                        "panels": [["B"]],
                        "row_heights": [1],
                        "y_label": {"1": "B [nT]"},
                        "hlines": [{"panel": 1, "value": 5}],
                    }
                },
            },
        ],
    }

    def after(*labels):
        template = deepcopy(before)
        for label in labels:
            with_panel(label)(None, template)
        return template

    result = merged(before, after("beta"), after("density"))
    assert (
        result["steps"][-1]["tool_args"]["spec"] == after("density", "beta")["steps"][-1]["tool_args"]["spec"]
    )
    assert {step["step_id"] for step in result["steps"]} == {"b", "beta", "density", "plot"}
    assert merged(before, after("beta"), after("beta")) == after("beta")
    with pytest.raises(Conflict, match="panel 2"):
        merged(after("beta"), before, after("density"))


def two_panels(*edits):
    """Return a template that draws A above B, with some edits of its figure."""
    spec = {"labels": ["A", "B"], "panels": [["A"], ["B"]], "y_label": {"1": "a"}, "row_heights": [1, 2]}
    for edit in edits:
        edit(spec)
    steps = [{"step_id": "plot", "tool_name": "render_spec", "tool_args": {"spec": spec}}]
    return {"id": "mine", "steps": steps}


def line_in(number, label):
    def edit(spec):
        spec["labels"].append(label)
        spec["panels"][number - 1].append(label)

    return edit


def panel_at(index, label):
    def edit(spec):
        spec["labels"].append(label)
        spec["panels"].insert(index, [label])
        spec["row_heights"].insert(index, 3)
        moved = {
            str(int(number) + (int(number) > index)): text for number, text in spec.get("y_label", {}).items()
        }
        spec["y_label"] = moved | {str(index + 1): label.lower()}

    return edit


def without_panel(number):
    def edit(spec):
        spec["labels"].remove(spec["panels"].pop(number - 1)[0])
        del spec["row_heights"][number - 1]
        spec["y_label"] = {"1": "a"} if number == 2 else {}

    return edit


def axis(number, text):
    return lambda spec: spec["y_label"].update({str(number): text})


def settings_of_panels(template):
    spec = template["steps"][0]["tool_args"]["spec"]
    return [
        (panel, spec["y_label"].get(str(number)), spec["row_heights"][number - 1])
        for number, panel in enumerate(spec["panels"], 1)
    ]


@pytest.mark.parametrize(
    ("one", "other", "panels"),
    [
        (line_in(1, "C"), line_in(1, "D"), [(["A", "D", "C"], "a", 1), (["B"], None, 2)]),
        (line_in(1, "C"), line_in(2, "D"), [(["A", "C"], "a", 1), (["B", "D"], None, 2)]),
        (line_in(1, "C"), panel_at(2, "D"), [(["A", "C"], "a", 1), (["B"], None, 2), (["D"], "d", 3)]),
        (panel_at(0, "C"), panel_at(2, "D"), [(["C"], "c", 3), (["A"], "a", 1), (["B"], None, 2), (["D"], "d", 3)]),
        (without_panel(2), panel_at(2, "D"), [(["A"], "a", 1), (["D"], "d", 3)]),
        (without_panel(1), panel_at(2, "D"), [(["B"], None, 2), (["D"], "d", 3)]),
        (without_panel(1), axis(2, "b"), [(["B"], "b", 2)]),
        (panel_at(0, "C"), axis(2, "b"), [(["C"], "c", 3), (["A"], "a", 1), (["B"], "b", 2)]),
    ],
)  # fmt: skip
def test_changes_of_different_panels_are_merged_in_either_order_and_settings_stay_with_their_panel(
    one, other, panels
):
    before = two_panels()
    first = merged(before, two_panels(one), two_panels(other))
    second = merged(before, two_panels(other), two_panels(one))
    assert settings_of_panels(first) == panels
    assert [(sorted(lines), *rest) for lines, *rest in settings_of_panels(second)] == [
        (sorted(lines), *rest) for lines, *rest in panels
    ]
    for result in (first, second):
        spec = result["steps"][0]["tool_args"]["spec"]
        assert sorted(spec["labels"]) == sorted(label for panel in spec["panels"] for label in panel)


@pytest.mark.parametrize(
    ("proposed_", "accepted", "said"),
    [
        (axis(2, "b"), without_panel(2), "panel is no longer there"),
        (without_panel(2), line_in(2, "C"), "the panel of B is now B, C"),
        (line_in(2, "C"), without_panel(2), "no longer there"),
        (axis(1, "x"), axis(1, "y"), "it is now y"),
    ],
)
def test_changes_of_the_same_panel_conflict(proposed_, accepted, said):
    with pytest.raises(Conflict, match=said):
        merged(two_panels(), two_panels(proposed_), two_panels(accepted))


def test_a_step_that_is_gone_is_a_conflict(proposals, library, mine):
    def without_style(args, template):
        template["steps"] = template["steps"][:3]

    colour, removal = proposed(proposals, mine, red), proposed(proposals, mine, without_style)
    proposals.accept(removal)
    with pytest.raises(RequestError, match="no longer there"):
        proposals.accept(colour)


def test_a_removed_step_that_has_changed_is_a_conflict(proposals, mine):
    def without_style(args, template):
        template["steps"] = template["steps"][:3]

    colour, removal = proposed(proposals, mine, red), proposed(proposals, mine, without_style)
    proposals.accept(colour)
    with pytest.raises(RequestError, match="removed: style"):
        proposals.accept(removal)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("id", True), ("beginning", True), ("mine", True), ("min", False), ("mine-2", False)],
)
def test_a_pending_proposal_is_meant_by_its_id_or_the_name_of_its_pipeline(proposals, mine, name, meant):
    made = proposed(proposals, mine, red)
    given = {"id": made.id, "beginning": made.id[: len("mine-20261120T")]}.get(name, name)
    assert proposals.working(given) == (made if meant else None)
    proposals.reject(made)
    assert proposals.working(given) is None


# ---- two at once, and what was broken off


def both_at_once(*calls):
    """What comes of calls that begin together."""
    gate = threading.Barrier(len(calls))

    def one(call):
        gate.wait()
        try:
            return call()
        except RequestError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(one, calls))


@pytest.mark.parametrize("again", range(5))
def test_of_two_changes_accepted_at_once_one_is_refused_and_none_is_lost(proposals, library, mine, again):
    red = edited(proposals, mine)
    other = proposals.add(
        kind="edited",
        pipeline="mine",
        request="in blue",
        by="rules",
        before=mine,
        after=mine.replace('"black"', '"blue"'),
    )
    ends = both_at_once(lambda: proposals.accept(red), lambda: proposals.accept(other))
    [refused] = [one for one in ends if isinstance(one, RequestError)]
    assert "has changed since" in refused.message
    assert sorted(one.state for one in proposals.list()) == ["accepted", "pending"]
    [accepted] = proposals.list(state="accepted")
    assert library.text(library.find("mine")) == accepted.after


@pytest.mark.parametrize("again", range(5))
def test_of_two_new_pipelines_of_one_name_accepted_at_once_one_is_refused(proposals, library, mine, again):
    texts = [as_text({**json.loads(mine), "id": "other", "name": name}) for name in ("A", "B")]
    made = [
        proposals.add(kind="authored", pipeline="other", request="…", by="rules", before="", after=text)
        for text in texts
    ]
    ends = both_at_once(*(lambda one=one: proposals.accept(one) for one in made))
    assert [isinstance(one, RequestError) for one in ends].count(True) == 1
    assert len(library.history("other").revisions()) == 1


def test_revisions_written_at_once_are_all_kept(library, mine):
    writes = [
        lambda text=mine.replace('"black"', f'"{colour}"'): library.history("mine").write(text, Writing())
        for colour in ("red", "blue", "green", "gray")
    ]
    both_at_once(*writes)
    revisions = library.history("mine").revisions()
    assert [one.number for one in revisions] == [1, 2, 3, 4, 5]
    assert [one.parent for one in revisions] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("new", [False, True])
def test_what_was_broken_off_between_the_file_and_the_mark_counts_as_accepted(
    proposals, library, mine, new, monkeypatch
):
    made = edited(proposals, mine)
    if new:
        after = as_text({**json.loads(mine), "id": "other"})
        made = replace(made, id="other-1", before="", after=after, pipeline="other", kind="authored")
        proposals._keep(made)
    with monkeypatch.context() as killed:
        killed.setattr(proposals, "_keep", lambda one: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            proposals.accept(made)
    assert proposals.load(made.id).state == "pending"
    proposals.accept(made)
    assert proposals.load(made.id).state == "accepted"
    assert library.text(library.find(made.pipeline)) == made.after
    assert len(library.history(made.pipeline).revisions()) == (1 if new else 2)


def test_what_could_not_run_is_not_accepted_whatever_its_file_says(proposals, library, mine, tmp_path):
    made = edited(proposals, mine)
    file = tmp_path / "proposals" / f"{made.id}.json"
    facts = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(facts | {"after": mine.replace('"magnitude"', '"conjure"')}))
    with pytest.raises(InvalidTemplate):
        proposals.accept(proposals.load(made.id))
    assert library.text(library.find("mine")) == mine
    assert proposals.load(made.id).state == "pending"


# ---- the bytes of a file


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_ends_of_lines_and_the_mark_at_the_start_are_kept_through_a_change_and_back(
    proposals, library, mine, tmp_path, mark, ends
):
    elsewhere = tmp_path / "elsewhere.json"
    for path in (library.find("mine").path, elsewhere):
        path.write_bytes((mark + mine.replace("\n", ends)).encode())
        before, name = path.read_bytes(), str(path) if path == elsewhere else "mine"
        text = library.text(library.find(name))
        made = proposals.add(
            kind="edited",
            pipeline=name,
            request="in red",
            by="rules",
            before=text,
            after=text.replace('"black"', '"red"'),
        )
        proposals.accept(made)
        assert path.read_bytes() == before.replace(b'"black"', b'"red"')
        if path == elsewhere:
            proposals.undo(path)
        else:
            library.history("mine").undo()
        assert path.read_bytes() == before


def test_a_review_lists_the_panels_if_a_change_names_one_by_its_number(proposals, mine):
    template = json.loads(mine)
    figure = next(step for step in template["steps"] if "panels" in step["tool_args"])
    figure["tool_args"]["panels"].reverse()
    made = proposals.add(
        kind="edited", pipeline="mine", request="turn", by="rules", before=mine, after=as_text(template)
    )
    told = "  panels of step 3 after the change: 1 ACE_Bmag; 2 ACE_B"
    assert proposal_lines(made)[-1] == told
    assert told not in proposal_lines(edited(proposals, mine))
