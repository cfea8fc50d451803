"""Test servers that stand in for the services helio uses: real servers on loopback, for tests of sources and pipelines.

>>> from helio.testing import SwpcStandIn
>>> from datetime import datetime
>>> with SwpcStandIn(datetime(2024, 5, 12)) as server:
...     server.url.rpartition(":")[0]
'http://127.0.0.1'

To make helio use a test server, set its address: ``HELIO_CDAWEB_URL``, ``HELIO_SWPC_URL``,
``HELIO_HAPI_SERVERS=mine=URL``, or the ``url`` of a source. `StandIn` and `Handler` are the base of stand-ins for other
services, `FaultyServer` sends any bytes. `check_source` checks the contract of every source. See docs/sources.md.

Nothing of helio imports this package.
"""

from helio.testing.cdaweb import CdaWebStandIn, Computed
from helio.testing.checks import check_source
from helio.testing.client import FakeClock, client
from helio.testing.faulty import FaultyServer
from helio.testing.hapi import Dataset, HapiStandIn, dataset, recorded
from helio.testing.loopback import LoopbackServer
from helio.testing.network import Authority, ProxyStandIn, secure
from helio.testing.ssc import SscStandIn
from helio.testing.standin import Fault, Handler, Request, StandIn
from helio.testing.swpc import SwpcStandIn

__all__ = [
    "Authority",
    "CdaWebStandIn",
    "Computed",
    "Dataset",
    "FakeClock",
    "Fault",
    "FaultyServer",
    "Handler",
    "HapiStandIn",
    "LoopbackServer",
    "ProxyStandIn",
    "Request",
    "SscStandIn",
    "StandIn",
    "SwpcStandIn",
    "check_source",
    "client",
    "dataset",
    "recorded",
    "secure",
]
