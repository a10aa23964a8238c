"""Reads a result from Parquet and from Arrow with pandas and polars; prints types, values and NULLs as JSON."""

import json
import sys
from decimal import Decimal

import pandas
import polars
import pyarrow

parquet, arrow, totals_parquet, totals_arrow = sys.argv[1:]


def text(value):
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def of_pandas(frame):
    columns = [frame[name] for name in frame.columns]
    return [{"type": str(column.dtype), "text": text(column[0]), "null": bool(column.isna()[1])} for column in columns]


def of_polars(frame):
    return [{"type": str(column.dtype), "text": text(column[0]), "null": column[1] is None} for column in frame]


def read_arrow(path):
    with pyarrow.ipc.open_stream(path) as stream:
        table = stream.read_all()
    table.validate(full=True)
    return table


table = read_arrow(arrow)
table.to_pandas()  # must not fail; its types depend on NULLs
pandas.read_parquet(parquet)
# As most programs read them.
totals = [pandas.read_parquet(totals_parquet), read_arrow(totals_arrow).to_pandas()]
outcome = {
    "pandas Parquet": of_pandas(pandas.read_parquet(parquet, dtype_backend="pyarrow")),
    "pandas Arrow": of_pandas(table.to_pandas(types_mapper=pandas.ArrowDtype)),
    "polars Parquet": of_polars(polars.read_parquet(parquet)),
    "polars Arrow": of_polars(polars.read_ipc_stream(arrow)),
    "sums": [[text(frame[name].sum()) for name in frame.columns] for frame in totals],
}
json.dump(outcome, sys.stdout)
