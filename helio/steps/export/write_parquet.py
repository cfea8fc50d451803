"""Write tables as Parquet."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np

from helio.sources.written import WRITTEN, as_text
from helio.steps.export.columns import lay_flat
from helio.steps.export.names import one_line
from helio.store.table import Floats, Table


def write_parquet(tables: Mapping[str, Table]) -> bytes:
    """Write tables with the same epochs as Parquet: epochs in ns (UTC), missing values as NaN, metadata as JSON.

    References
    ----------
    Apache Parquet file format.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    flat = lay_flat(tables)
    stamp = pa.timestamp("ns", tz="UTC")
    fields = [pa.field("epoch", stamp, nullable=False)]
    arrays = [pa.array(flat.epoch.astype(np.int64)).cast(stamp)]
    for column in flat.columns:
        # NaN stays NaN: to Parquet, null would be another thing than a missing measurement.
        values = pa.array(_native(column.values), from_pandas=False)
        fields.append(
            pa.field(column.title, values.type, nullable=False, metadata={"unit": one_line(column.unit)})
        )
        arrays.append(values)
    facts = as_text({"tables": flat.facts, "sources": flat.sources})
    schema = pa.schema(fields, metadata={WRITTEN: facts})
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink, compression="zstd", version="2.6")
    return sink.getvalue()


def _native(values: Floats) -> Floats:
    """Return an array that is contiguous and in native byte order, as Arrow needs it; CDFs are often big-endian."""
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
