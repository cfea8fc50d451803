"""What tables have to be: units, kinds and frames, checked before a tool is called."""

import subprocess
import sys
from dataclasses import replace
from typing import Annotated

import numpy as np
import pytest

from helio.errors import ClockMismatch, FrameMismatch, StepError, UnitMismatch
from helio.steps.compute.running_average import running_average
from helio.steps.quantity import ANYTHING, Quantity, check_quantity, same_clock, same_frame, same_unit
from helio.steps.signature import RECORD, Signature
from helio.steps.tool import signature_of, tool
from helio.store.table import Table
from tests.steps.series import epochs, spectrum, vector


@tool(version=1, context=RECORD)
def pressure(
    field: Annotated[Table, Quantity("nT", kind="vector", frames=("GSE", "GSM"))],
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
) -> Annotated[Table, Quantity("nPa", kind="scalar")]:
    """A tool that takes two tables."""
    raise NotImplementedError


@tool(version=1, context=RECORD)
def average(series: list[Annotated[Table, Quantity("km/s")]]) -> Table:
    """A tool that takes a list."""
    raise NotImplementedError


@tool(version=1, context=RECORD)
def ratio(one: Table, other: Annotated[Table, Quantity("1")] | None = None) -> Table:
    """A tool that can do without its second table."""
    raise NotImplementedError


def checked(takes, table, label="AC_H2_MFI.BGSEc"):
    check_quantity(takes, table, tool="pressure", parameter="field", label=label)


def test_a_signature_says_what_its_tables_have_to_be():
    signature = signature_of(pressure)
    assert [(table.parameter, table.argument) for table in signature.tables] == [
        ("field", "field_label"),
        ("density", "density_label"),
    ]
    assert signature.tables[0].takes == Quantity("nT", "vector", ("GSE", "GSM"))
    assert signature.tables[1].takes == Quantity("cm^-3", "scalar")
    assert signature.gives_quantity == Quantity("nPa", "scalar")
    assert signature_of(average).tables[0].takes == Quantity("km/s")


def test_a_table_may_be_left_out():
    signature = signature_of(ratio)
    assert [(table.argument, table.optional) for table in signature.tables] == [
        ("one_label", False),
        ("other_label", True),
    ]
    assert [argument.name for argument in signature.arguments if argument.required] == [
        "one_label",
        "output_label",
    ]
    assert signature.tables[1].takes == Quantity("1")


@pytest.mark.parametrize("function", [pressure, average, ratio])
def test_a_signature_is_shipped_with_its_quantities(function):
    signature = signature_of(function)
    assert Signature.from_json(signature.name, signature.to_json()) == signature


def test_a_tool_without_a_quantity_is_shipped_as_before():
    written = signature_of(running_average).to_json()
    assert "gives_quantity" not in written
    assert "takes" not in written["tables"][0]


def test_the_right_table_passes():
    checked(Quantity("nT", "vector", ("GSE",)), vector())
    checked(ANYTHING, spectrum())


def test_another_spelling_of_the_unit_passes():
    checked(Quantity("cm^-3"), replace(vector(), unit="#/cc"))


def test_a_wrong_unit_is_named_beside_the_right_one():
    with pytest.raises(UnitMismatch, match=r"'AC_H2_MFI.BGSEc' is in nT") as caught:
        checked(Quantity("km/s"), vector())
    assert "in km/s" in caught.value.message
    assert "cannot be converted" in caught.value.advice


def test_a_unit_of_the_same_dimension_is_to_be_converted_in_a_step_of_its_own():
    with pytest.raises(UnitMismatch) as caught:
        checked(Quantity("nT"), replace(vector(), unit="T"))
    assert caught.value.advice == 'convert it first: convert_units to "nT"'


def test_a_missing_unit_is_not_taken_for_the_right_one():
    with pytest.raises(UnitMismatch, match="has no unit") as caught:
        checked(Quantity("nT"), replace(vector(), unit=""))
    assert "declare_quantity" in caught.value.advice


def test_a_percentage_can_become_a_number():
    with pytest.raises(UnitMismatch, match="is in %") as caught:
        checked(Quantity("1"), replace(vector(), unit="%"))
    assert caught.value.advice == 'convert it first: convert_units to "1"'


def test_a_number_without_a_unit_is_asked_for_as_1():
    checked(Quantity("1"), replace(vector(), unit=""))
    with pytest.raises(UnitMismatch, match="without a unit"):
        checked(Quantity("1"), vector())


def test_a_wrong_frame_is_named_beside_the_right_one():
    with pytest.raises(FrameMismatch, match=r"in GSM, but 'AC_H2_MFI.BGSEc' is in GSE") as caught:
        checked(Quantity(frames=("GSM",)), vector())
    assert "transform_frame" in caught.value.advice
    with pytest.raises(FrameMismatch, match="has no frame"):
        checked(Quantity(frames=("GSM",)), replace(vector(), frame=""))


@pytest.mark.parametrize(
    ("label", "name", "frame"),
    [("OMNI.BZ_GSE", "Bz", ""), ("bz", "1AU IP Bz, GSE", ""), ("AC_H0_MFI.BGSEc.Bz", "Bz", "GSE")],
)
def test_a_lone_component_has_the_frame_its_file_or_its_name_says(label, name, frame):
    bz = replace(vector().component("Bz"), name=name, frame=frame)
    with pytest.raises(FrameMismatch, match="is in GSE"):
        checked(Quantity("nT", "scalar", ("GSM",)), bz, label)


@pytest.mark.parametrize(
    ("label", "name", "frame"),
    [("OMNI.BZ_GSM", "Bz", ""), ("bz", "Bz", ""), ("AC_H0_MFI.BGSM.Bz", "Bz", "GSM")],
)
def test_a_lone_component_without_a_frame_may_be_in_the_right_one(label, name, frame):
    checked(
        Quantity("nT", "scalar", ("GSM",)), replace(vector().component("Bz"), name=name, frame=frame), label
    )


@pytest.mark.parametrize("label", ["bz_gse_to_gsm", "ACE_SC_Bz", "Bz_GSE", "ACE.SC_Bz"])
def test_a_label_that_a_person_chose_says_no_frame(label):
    checked(Quantity("nT", "scalar", ("GSM",)), replace(vector().component("Bz"), frame=""), label)


def test_a_label_does_not_talk_a_description_down():
    bz = replace(vector().component("Bz"), frame="", description="z of GSE field")
    for label in ("Bz_GSM", "MINE.Bz_GSM"):
        with pytest.raises(FrameMismatch, match="is in GSE"):
            checked(Quantity("nT", "scalar", ("GSM",)), bz, label)


@pytest.mark.parametrize("name", ["|V|", "Bulk Flow Speed", "<|B|>"])
def test_a_length_has_no_frame_whatever_it_was_made_of(name):
    length = replace(
        vector().component("Bz"), frame="", name=name, description="magnitude of velocity in RTN"
    )
    checked(Quantity("nT", frames=("GSE", "GSM")), length)


def test_another_kind_is_refused_with_what_to_take_instead():
    with pytest.raises(StepError, match="must be one series") as caught:
        checked(Quantity(kind="scalar"), vector())
    assert '"AC_H2_MFI.BGSEc.Bx"' in caught.value.advice
    with pytest.raises(StepError, match=r"the field of .* must be a vector, but 'x' is a spectrum"):
        checked(Quantity(kind="vector"), spectrum(), label="x")


def test_components_of_their_own_are_joined_where_a_vector_is_needed():
    with pytest.raises(
        StepError, match=r"the field of .* must be a vector, but 'OMNI\.BZ_GSM' is one series"
    ) as caught:
        checked(Quantity(kind="vector"), vector().component("Bz"), "OMNI.BZ_GSM")
    assert "join_components" in caught.value.advice
    with pytest.raises(StepError) as caught:
        checked(Quantity(kind="vector"), replace(vector().component("Bz"), name="|B|"))
    assert "join_components" not in caught.value.advice


def test_two_tables_have_one_unit_or_both_are_named():
    assert same_unit(vector(), vector()) == "nT"
    with pytest.raises(UnitMismatch, match="'B' is in nT, but 'V' is in km/s"):
        same_unit(vector(), replace(vector(), name="V", unit="km/s"))
    with pytest.raises(UnitMismatch, match="'V' has no unit, but 'B' is in nT") as caught:
        same_unit(replace(vector(), name="V", unit=""), vector())
    assert caught.value.advice.endswith('is known, state it with the tool declare_quantity: unit "nT"')


def test_two_vectors_have_one_frame_or_both_are_named():
    assert same_frame(vector(), vector()) == "GSE"
    with pytest.raises(FrameMismatch, match="'B' is in GSE, but 'V' is in GSM"):
        same_frame(vector(), replace(vector(), name="V", frame="GSM"))
    with pytest.raises(FrameMismatch, match="'B' is in GSE, but 'V' has no frame") as caught:
        same_frame(vector(), replace(vector(), name="V", frame=""))
    assert caught.value.advice.endswith('is known, state it with the tool declare_quantity: frame "GSE"')
    with pytest.raises(FrameMismatch, match="'V' has no frame, but 'B' is in GSE") as caught:
        same_frame(replace(vector(), name="V", frame=""), vector())
    assert caught.value.advice.endswith('is known, state it with the tool declare_quantity: frame "GSE"')


def test_no_transformation_is_advised_that_there_is_not():
    with pytest.raises(FrameMismatch) as caught:
        checked(Quantity(frames=("GSE",)), replace(vector(), frame="RTN"))
    assert caught.value.advice == "choose a parameter in GSE: helio cannot transform from RTN"


def test_two_tables_have_one_clock_or_are_to_be_aligned():
    same_clock(vector(), vector())
    with pytest.raises(ClockMismatch, match="the first has 10 records, the second 4") as caught:
        same_clock(vector(), spectrum())
    assert "align" in caught.value.advice
    late = replace(spectrum(), epoch=epochs(0, 60, 121, 180))
    with pytest.raises(
        ClockMismatch,
        match=r"the first difference is in record 3: 2024-05-10T00:02:00.000Z and 2024-05-10T00:02:01.000Z",
    ):
        same_clock(spectrum(), late)


def test_tables_without_records_have_one_clock():
    empty = spectrum().take(slice(0, 0))
    same_clock(empty, replace(empty, epoch=np.array([], "M8[ns]")))


@pytest.mark.process
def test_reading_the_signatures_does_not_import_a_units_library():
    code = "import sys, helio.steps.signature as s; s.signatures(); assert not {'pint', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
