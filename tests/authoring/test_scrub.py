"""Keys are taken out of texts, and nothing else is."""

import pytest

from helio.authoring.models.scrub import Scrub, model_scrub_of, scrub_of
from helio.settings import Settings

KEY = "a-key-of-some-length"


def test_a_known_key_is_taken_out_wherever_it_stands():
    assert Scrub(KEY)(f"{KEY} and x{KEY}y") == "[key] and x[key]y"


def test_a_key_within_a_longer_one_leaves_nothing_of_it():
    assert Scrub(KEY, KEY + "-and-more")(f"<{KEY}-and-more>") == "<[key]>"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("AIza" + "x" * 35, "[key]"),
        ("https://host/v1?key=abc&alt=sse", "https://host/v1?key=[key]&alt=sse"),
        ("Authorization: Bearer abcdefghij", "Authorization: Bearer [key]"),
        ("sk-" + "a1" * 15, "[key]"),
        ("AQ." + "a1" * 20, "[key]"),
    ],
)
def test_what_looks_like_a_key_is_taken_out(text, clean):
    assert Scrub()(text) == clean


@pytest.mark.parametrize(
    "text", ["AC_H2_MFI.BGSEc in nT", "task-oriented", "the key= of a map", "AIza and more", "a" * 500, ""]
)
def test_the_words_of_the_field_stay(text):
    assert Scrub("", "short")(text) == text


def test_the_password_of_an_address_is_a_key_and_its_host_is_none():
    scrub = Scrub(url="https://me:open-sesame@models.example:8080/v1")
    assert scrub("open-sesame at models.example") == "[key] at models.example"


def test_a_model_is_not_told_where_the_home_of_the_user_is(tmp_path):
    settings = Settings(tmp_path / "helio", environ={"HOME": "/home/joan"})
    scrub = model_scrub_of(settings)
    assert scrub(f"{tmp_path}/helio/runs/x, /home/joan/data, /home/joan.") == (
        "[home of helio]/runs/x, ~/data, ~."
    )
    assert scrub("/home/joanna/x") == "/home/joanna/x"
    assert model_scrub_of(Settings(tmp_path, environ={"HOME": "/"}))("a/b") == "a/b"
    assert scrub_of(settings)("/home/joan/data") == "/home/joan/data"


def test_json_is_cleaned_in_every_text_and_name():
    value = {"a": [KEY, {KEY: 1}], "n": 2.5, "none": None, "yes": True}
    assert Scrub(KEY).json(value) == {"a": ["[key]", {"[key]": 1}], "n": 2.5, "none": None, "yes": True}


def test_a_signature_that_looks_like_a_key_stays_whole():
    like_one = "gemini AIza" + "x" * 35
    assert Scrub().json({"signature": like_one, "text": like_one}) == {
        "signature": like_one,
        "text": "gemini [key]",
    }
    assert Scrub(KEY).json({"signature": KEY}) == {"signature": "[key]"}
