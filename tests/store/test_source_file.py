"""What names a file in a key."""

from helio.store.source_file import SourceFile


def test_a_file_on_this_machine_is_named_by_its_bytes():
    assert SourceFile("AC_H0_MFI", "ac.cdf", sha256="ab12", size=7).identity == "ab12"


def test_a_file_of_an_archive_is_named_alike_before_and_after_it_is_downloaded():
    before = SourceFile("AC_H0_MFI", "ac.cdf", size=7, url="https://host/ac.cdf", last_modified="2024-01-10")
    after = SourceFile(
        "AC_H0_MFI", "ac.cdf", size=7, url="https://host/ac.cdf", last_modified="2024-01-10", sha256="ab12"
    )
    assert before.identity == after.identity == "https://host/ac.cdf|7|2024-01-10"
