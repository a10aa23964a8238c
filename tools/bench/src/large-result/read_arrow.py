"""Writes Parquet files as Arrow streams with DuckDB's own conversion. Reads the path of a file from each line of its input."""

import sys

import duckdb
import pyarrow

connection = duckdb.connect(config={"threads": 2, "memory_limit": "1000MB"})
for line in sys.stdin:
    table = connection.sql("FROM read_parquet('" + line.strip() + "')").to_arrow_table()
    with pyarrow.OSFile("/dev/null", "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table, max_chunksize=20_480)
    print(table.num_rows, flush=True)
