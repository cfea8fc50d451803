"""What the environment says of the network, and which values are refused."""

from __future__ import annotations

import pytest

from helio.errors import RequestError
from helio.settings import NetworkLimits, Retention, read_settings
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


def test_nothing_but_old_records_of_the_engine_is_removed_by_default():
    retention = read_settings({}).retention
    assert retention == Retention(engine=90 * 86400.0)
    assert not retention.is_set


def test_what_is_kept_is_set_by_the_environment():
    environ = {
        "HELIO_KEEP_RUNS": "400d",
        "HELIO_KEEP_FIGURES": "3650d",
        "HELIO_KEEP_FILES": "90d",
        "HELIO_KEEP_ENGINE_RECORDS": "never",
        "HELIO_KEEP_LOGS": "48h",
        "HELIO_QUOTA": "200GB",
    }
    days = 86400.0
    assert read_settings(environ).retention == Retention(
        400 * days, 3650 * days, 90 * days, None, 2 * days, 200 * 10**9
    )


@in_one_test(
    "name", ["HELIO_KEEP_RUNS", "HELIO_KEEP_FIGURES", "HELIO_KEEP_FILES", "HELIO_KEEP_ENGINE_RECORDS"]
)
@in_one_test("value", ["0", "400", "1h", "-3d", "1y", "d", "400 days", "1e9d", "nand", "٣d"])
def test_an_age_that_is_none_is_refused_with_its_name(name, value):
    with pytest.raises(RequestError, match=name):
        read_settings({name: value})


@in_one_test("value", ["0", "12", "much", "-1GB", "200 potatoes"])
def test_a_quota_that_is_none_is_refused(value):
    with pytest.raises(RequestError, match="HELIO_QUOTA"):
        read_settings({"HELIO_QUOTA": value})
