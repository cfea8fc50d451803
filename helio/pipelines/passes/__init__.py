"""List the passes in their order, with a reason for the position of each pass."""

from __future__ import annotations

from helio.pipelines.dialect.check_budget import check_budget
from helio.pipelines.dialect.check_kept_arguments import check_kept_arguments
from helio.pipelines.dialect.check_steps import check_steps
from helio.pipelines.dialect.check_structure import check_structure
from helio.pipelines.dialect.declare_variables import declare_variables
from helio.pipelines.dialect.drop_nulls import drop_nulls
from helio.pipelines.dialect.drop_repeated_steps import drop_repeated_steps
from helio.pipelines.dialect.keep_unknown_keys import keep_unknown_keys
from helio.pipelines.dialect.mend_dependencies import mend_dependencies
from helio.pipelines.dialect.read_sources import read_sources
from helio.pipelines.dialect.rename_arguments import rename_arguments
from helio.pipelines.dialect.rename_keys import rename_keys
from helio.pipelines.dialect.rename_template_keys import rename_template_keys
from helio.pipelines.dialect.settle_ids import settle_ids
from helio.pipelines.dialect.settle_unknown_arguments import settle_unknown_arguments
from helio.pipelines.dialect.settle_variables import settle_variables
from helio.pipelines.dialect.spell_results import spell_results
from helio.pipelines.dialect.spell_times import spell_times
from helio.pipelines.dialect.spell_tools import spell_tools
from helio.pipelines.dialect.spell_values import spell_values
from helio.pipelines.dialect.spell_variables import spell_variables
from helio.pipelines.dialect.unpack_json import unpack_json
from helio.pipelines.passes.bind_artefacts import bind_artefacts
from helio.pipelines.passes.bind_files import bind_files
from helio.pipelines.passes.bind_values import bind_values
from helio.pipelines.passes.check_code import check_code
from helio.pipelines.passes.check_datasets import check_datasets
from helio.pipelines.passes.check_document_values import check_document_values
from helio.pipelines.passes.check_expansion import check_expansion
from helio.pipelines.passes.check_fetches import check_fetches
from helio.pipelines.passes.check_files import check_files
from helio.pipelines.passes.check_given_values import check_given_values
from helio.pipelines.passes.check_intents import check_intents
from helio.pipelines.passes.check_maps import check_maps
from helio.pipelines.passes.check_panels import check_panels
from helio.pipelines.passes.check_parameters import check_parameters
from helio.pipelines.passes.check_quantities import check_quantities
from helio.pipelines.passes.check_scales import check_scales
from helio.pipelines.passes.check_size import check_size
from helio.pipelines.passes.check_size_of_run import check_size_of_run
from helio.pipelines.passes.check_tools import check_tools
from helio.pipelines.passes.check_use import check_use
from helio.pipelines.passes.check_variables import check_variables
from helio.pipelines.passes.check_written_values import check_written_values
from helio.pipelines.passes.choose_providers import choose_providers
from helio.pipelines.passes.clamp_ranges import clamp_ranges
from helio.pipelines.passes.complete_panels import complete_panels
from helio.pipelines.passes.derive_dependencies import derive_dependencies
from helio.pipelines.passes.derive_produces import derive_produces
from helio.pipelines.passes.drop_equal_work import drop_equal_work
from helio.pipelines.passes.drop_repeated_items import drop_repeated_items
from helio.pipelines.passes.expand_items import expand_items
from helio.pipelines.passes.fill_defaults import fill_defaults
from helio.pipelines.passes.fill_figures import fill_figures
from helio.pipelines.passes.fuse_maps import fuse_maps
from helio.pipelines.passes.guarantee_artefact import guarantee_artefact
from helio.pipelines.passes.inline_pipelines import inline_pipelines
from helio.pipelines.passes.limit_figures import limit_figures
from helio.pipelines.passes.lower_plots import lower_plots
from helio.pipelines.passes.map_components import map_components
from helio.pipelines.passes.map_intervals import map_intervals
from helio.pipelines.passes.map_literals import map_literals
from helio.pipelines.passes.merge_fetches import merge_fetches
from helio.pipelines.passes.order_steps import order_steps
from helio.pipelines.passes.parametrise_times import parametrise_times
from helio.pipelines.passes.raise_critical import raise_critical
from helio.pipelines.passes.resolve_globs import resolve_globs
from helio.pipelines.passes.respell_labels import respell_labels
from helio.pipelines.passes.spell_datasets import spell_datasets
from helio.pipelines.passes.split_labels import split_labels
from helio.pipelines.passes.unwrap_intervals import unwrap_intervals
from helio.pipelines.passes.wire_figures import wire_figures
from helio.pipelines.passes.wire_time import wire_time
from helio.pipelines.template.context import DialectPass, Pass

Stage = tuple[Pass | DialectPass, ...]

NORMALISE: tuple[Stage, ...] = (
    # Everything below walks a list of steps that are objects.
    (check_steps,),
    # Many passes compare steps with each other: a plan that is too large is refused before.
    (check_budget,),
    # Keys before what they hold. Two that disagree are an error, and never one of them an unknown key.
    (rename_template_keys, rename_keys),
    (
        # A variable's name and type before its values are read.
        settle_variables,
        # Unknown keys are put aside before anything reads them.
        keep_unknown_keys,
        # Every later message names its step by id.
        settle_ids,
        # A tool decides what its arguments are called and what they hold.
        unpack_json,
        # A reference is a text for all passes below.
        read_sources,
        spell_tools,
        rename_arguments,
        # Nothing is no value: it must not be compared, spelt or wired.
        drop_nulls,
        settle_unknown_arguments,
        # A variable may be spelt like a value, and a value like nothing that its field takes.
        spell_values,
        spell_variables,
        declare_variables,
        # A phrase that is no variable by now is a time.
        spell_times,
        # Two steps are compared once both are in their one spelling; labels are named only by their producers.
        drop_repeated_steps,
        spell_results,
        mend_dependencies,
    ),
    # The gate: everything below reads fields of a known type.
    (check_structure,),
    (check_size,),
    # Defaults before variables are looked for in all steps.
    (fill_defaults, check_variables),
)
"""Stage N: write each field, name and value in its standard spelling."""

RESOLVE: tuple[Stage, ...] = (
    (
        # Labels as they are produced, before anything asks who gives what a step reads.
        split_labels,
        respell_labels,
        # A range that is missing is never the literal of another step.
        wire_time,
        parametrise_times,
        # Labels first, then the edges that follow from them, then an order that respects the edges.
        check_fetches,
        derive_produces,
        derive_dependencies,
        wire_figures,
        order_steps,
        # An argument that is still missing is an error.
        check_tools,
    ),
)
"""Stage R: find the labels that each step gives and reads, and the steps for which it waits."""

EXPAND: tuple[Stage, ...] = (
    # Other pipelines first: their steps are expanded with the plan's own.
    (inline_pipelines,),
    # Every loop a map, before anything asks what maps have in common.
    (map_literals, map_intervals),
    # Maps of used pipelines are known now, and loops are maps.
    (check_size,),
    (
        drop_repeated_items,
        # One call instead of a map, before maps are put together.
        unwrap_intervals,
        map_components,
        fuse_maps,
        # Labels that stand for many, once the maps that give them are settled.
        resolve_globs,
    ),
)
"""Stage X: replace calls of pipelines, loops and intervals by the steps that they stand for."""

OPTIMISE: tuple[Stage, ...] = (
    # Equal work first: the remaining fetches may then be merged.
    (drop_equal_work,),
    (merge_fetches,),
    # One figure tool from here on; panels name labels of their figure. Lowering changes what steps read.
    (lower_plots, complete_panels, derive_dependencies, order_steps),
)
"""Stage O: remove steps that would do the same work twice."""

GUARANTEE: tuple[Stage, ...] = (
    # Figures get their labels before one is added; dependencies of figures come before what is critical.
    (fill_figures, guarantee_artefact, derive_dependencies, order_steps, raise_critical),
)
"""Stage G: make sure that every plan has an output."""

VERIFY: tuple[Stage, ...] = (
    # Items are counted before they are looked at one by one.
    (check_size,),
    # What the lowered plan says is checked once more: it is what runs. Code is read, and never run here.
    (
        check_tools,
        check_kept_arguments,
        check_code,
        check_written_values,
        check_document_values,
        check_datasets,
        check_parameters,
        check_quantities,
        check_panels,
        check_scales,
        check_use,
        check_files,
        check_maps,
        check_expansion,
        check_intents,
    ),
)
"""Stage V: check the whole plan; the passes of this stage make no edits."""

AS_WRITTEN: tuple[Stage, ...] = ((check_kept_arguments,),)
"""Passes of stage V that also check the template as written, because merged steps lose their annotations."""

REPEATED: tuple[Stage, ...] = (*NORMALISE, *RESOLVE, *EXPAND, *OPTIMISE, *GUARANTEE)
"""Stages N, R, X, O and G, which helio repeats until no pass makes an edit."""

BINDING: tuple[Stage, ...] = (
    # Maps first: every later pass reads steps with a tool of their own.
    (check_size_of_run,),
    (expand_items,),
    # Values before artefacts: a figure takes its range from fetches whose ranges are absolute.
    (check_given_values, bind_values),
    # A dataset may have been a variable; the catalogue is asked for it as it is spelt there.
    (spell_datasets, choose_providers),
    # Labels may have been made of variables or of ids that were spelt otherwise: what two of them became is known
    # only now. And what stands in an argument now may not be what the argument takes.
    (check_tools, respell_labels, derive_produces, resolve_globs, derive_dependencies, order_steps),
    # Only now is known how many tables the items of a map give.
    (limit_figures,),
    # Ranges are absolute now; figures and files say the one that their data were really fetched for.
    (clamp_ranges, bind_artefacts, bind_files),
)
"""Stage B: fill in the values of one run, so that helio can execute the plan."""

LETTERS: tuple[tuple[str, tuple[Stage, ...]], ...] = (
    ("N", NORMALISE),
    ("R", RESOLVE),
    ("X", EXPAND),
    ("O", OPTIMISE),
    ("G", GUARANTEE),
    ("V", VERIFY),
    ("B", BINDING),
)
"""Passes of every stage, with the letter of the stage, in order."""
