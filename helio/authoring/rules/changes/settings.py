"""List the rules that change how a figure looks."""

from __future__ import annotations

from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure_settings import (
    is_for_panels,
    letter_panels,
    limit_times,
    match_title,
    put_side_by_side,
    remove_text,
    set_canvas,
    set_name,
    set_number,
    set_text,
    switch,
)
from helio.authoring.rules.changes.line_settings import (
    FIXED,
    LINE,
    WIDTHS,
    fill,
    has_look,
    name_lines,
    names_figure,
    refuse_bins,
    says_bins,
    style_lines,
    swap_colours,
)
from helio.authoring.rules.changes.panel_settings import (
    PANEL,
    limit_panels,
    reverse_panels,
    scale_panels,
    set_panel_type,
)

_LEAST_HEIGHT = 100
"""Least height of a figure, in pixels: a smaller number is the relative height of a panel."""


def _is_size(clause: Clause) -> bool:
    number = clause.value("number")
    if number is not None and clause.has("noun:panel_height") and not clause.has("what", "panel"):
        return len(clause.of("number")) > 1 or number.value >= _LEAST_HEIGHT
    sized = clause.has("number", "printed", "width", "factor")
    if clause.value("relative") in (*WIDTHS, *FIXED):
        return False
    return sized or clause.has("relative")


def _of_all_panels(clause: Clause) -> bool:
    return all(atom.value == "every" for atom in clause.of("panel"))


_AXES = "noun:y_axis noun:y_range noun:range noun:scale noun:x_axis"
_COLOUR_AXES = "noun:colour_bar noun:z_range noun:colour_scale"
SETTINGS: tuple[Rule, ...] = (
    Rule("colour noun:theme", "", set_name),
    Rule("verb:swap noun:colour|noun:line_colour", "what craft panel", swap_colours,
         lambda clause: len(clause.names) in (0, len("AB"))),
    Rule("noun:width number|width", "tool what panel", refuse_bins, says_bins),
    Rule("colour|dash|mode|"
         "width|relative|factor|number", f"{LINE} colour dash mode width relative factor number noun:colour "
                                         f"noun:dash noun:width "
         "noun:line_colour", style_lines, has_look),
    Rule("mode verb:only", "what panel craft every line", style_lines),
    Rule("scale", f"{PANEL} {_AXES} {_COLOUR_AXES} noun:bin_axis verb:remove verb:move", scale_panels),
    Rule("range|bound|auto", f"{PANEL} {_AXES} {_COLOUR_AXES} noun:bin_axis verb:zoom verb:move", limit_panels),
    Rule("verb:name text "
         "line:lines|rel:also|text", "noun:trace_name noun:legend", name_lines,
         lambda clause: len(clause.of("text")) > 1, "text"),
    Rule("text", f"{LINE} noun:title noun:subtitle noun:x_label noun:y_label noun:y_axis noun:trace_name "
                 f"noun:legend "
         "noun:file_name "
         "verb:name verb:add noun:x_axis", set_text, lambda clause: not clause.has("line:lines") or clause.has("what")),
    Rule("noun:title rel:accordingly", "", match_title),
    Rule("verb:remove noun:title|noun:subtitle|noun:x_label|noun:y_label", "what panel", remove_text),
    Rule("noun:legend|noun:footer|"
         "noun:panel_letters|noun:zero_line|noun:shared_y", "verb:remove verb:add verb:show", switch),
    Rule("letters|noun:panel_letters", "letters noun:panel_letters verb:mark verb:name verb:add verb:annotate "
                                       "verb:move panel every", letter_panels, is_for_panels),
    Rule("noun:font_size|noun:gap_factor|noun:columns|noun:linthresh|noun:figure_height|noun:figure_width|"
         "noun:figure_size|"
         "noun:panel_height|relative", "what panel number printed width factor", set_number, _is_size, "number"),
    Rule("factor", "what panel relative noun:panel_height", set_number),
    Rule("width|printed", "relative noun:figure_width noun:figure_height", set_number, names_figure),
    Rule("verb:fill|verb:shade|verb:mark bound", "what panel craft colour", fill),
    Rule("verb:fill what|panel", "bound number colour craft noun:zero_line", fill),
    Rule("noun:x_axis time", "noun:range noun:x_axis verb:zoom", limit_times),
    Rule("size", "noun:figure_size noun:figure_height noun:figure_width", set_canvas),
    Rule("colormap|palette|theme|format", "what panel tool line every noun:colour_scale noun:palette "
                                          "noun:theme noun:colour noun:colour_bar noun:scale verb:save "
         "rel:instead", set_name),
    Rule("paneltype|mode:lines", "what panel craft every line rel:instead_of colour", set_panel_type,
         several="paneltype"),
    Rule("verb:reverse noun:order|panel", "panel every verb:show verb:move", reverse_panels, _of_all_panels),
    Rule("rel:side_by_side", "panel every", put_side_by_side),
)  # fmt: skip
