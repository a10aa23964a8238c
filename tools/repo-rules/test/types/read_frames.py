"""Reads a result from Parquet and from Arrow with pandas and polars; prints types, values and NULLs as JSON."""

import json
import sys
from decimal import Decimal

import pandas
import polars
import pyarrow
import pyarrow.dataset

parquet, arrow, arrow_file, totals_parquet, totals_arrow, _ = sys.argv[1:]


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
# The file has the same rows as the stream, as each library reads files.
from_file = pyarrow.dataset.dataset(arrow_file, format="ipc").to_table()
assert from_file.schema.equals(table.schema)
assert str(from_file.to_pydict()) == str(table.to_pydict())  # as text, in which NaN equals itself
assert pandas.read_feather(arrow_file, dtype_backend="pyarrow").shape == (table.num_rows, table.num_columns)
assert polars.read_ipc(arrow_file).equals(polars.read_ipc_stream(arrow))
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
