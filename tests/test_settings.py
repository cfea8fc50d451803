"""What the environment says of the network, and which values are refused."""

from __future__ import annotations

import pytest

from helio.errors import RequestError
from helio.settings import NetworkLimits, read_settings
from tests.rows import in_one_test


def test_the_limits_of_replies_are_set_by_the_environment():
    assert read_settings({}).network == NetworkLimits()
    environ = {
        "HELIO_REPLY_MB": "1.5",
        "HELIO_REPLY_SECONDS": "7",
        "HELIO_LEAST_RATE": "10",
        "HELIO_RATE_SECONDS": "60",
        "HELIO_FURTHER_HOSTS": "Data.example.org, 127.0.0.1:8080,[::1]:9",
    }
    assert read_settings(environ).network == NetworkLimits(
        reply_bytes=1_500_000,
        reply_seconds=7.0,
        least_rate=10.0,
        rate_seconds=60.0,
        further_hosts=frozenset(
            {("data.example.org", 80), ("data.example.org", 443), ("127.0.0.1", 8080), ("::1", 9)}
        ),
    )


@in_one_test("name", ["HELIO_REPLY_MB", "HELIO_REPLY_SECONDS", "HELIO_LEAST_RATE", "HELIO_RATE_SECONDS"])
@in_one_test("value", ["0", "-1", "nan", "inf", "much", "64 MB"])
def test_limits_that_are_no_number_are_refused(name, value):
    with pytest.raises(RequestError, match=name):
        read_settings({name: value})


@in_one_test(
    "value", ["https://host", "host/path", "host:port", "host:99999", "a@host", "[::1", ":80", "a b"]
)
def test_further_hosts_that_are_none_are_refused(value):
    with pytest.raises(RequestError, match="HELIO_FURTHER_HOSTS"):
        read_settings({"HELIO_FURTHER_HOSTS": value})
