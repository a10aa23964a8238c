"""Serves a table over DuckDB's Quack protocol, or queries it.

quack.py serve PORT FILE: loads a Parquet file as the table t, prints a line and serves it until its input ends.
quack.py query PORT: reads "ID SQL" from each line of its input, fetches the result as Arrow and prints "ID ROWS".
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import local

import duckdb
import duckdb_extension_httpfs
import duckdb_extension_quack

ROLE, PORT, *FILES = sys.argv[1:]
URI = f"quack:127.0.0.1:{PORT}"
TOKEN = "a token of the bench"
CALLERS = 16


def connect():
    """Returns a connection with the extensions of the packages, which load no code from the network."""
    connection = duckdb.connect()
    for package in (duckdb_extension_httpfs, duckdb_extension_quack):
        folder = os.path.join(os.path.dirname(package.__file__), "extensions", f"v{duckdb.__version__}")
        connection.execute(f"LOAD '{folder}/{os.listdir(folder)[0]}'")
    return connection


def serve():
    connection = connect()
    connection.execute(f"CREATE TABLE t AS FROM '{FILES[0]}'")
    connection.execute(f"CALL quack_serve('{URI}', token => '{TOKEN}', disable_ssl => true)").fetchall()
    print("ready", flush=True)
    sys.stdin.read()


thread = local()


def query(line):
    number, _, sql = line.strip().partition(" ")
    if not hasattr(thread, "connection"):
        thread.connection = connect()
    remote = f"FROM quack_query('{URI}', '{sql}', token => '{TOKEN}', disable_ssl => true)"
    rows = thread.connection.execute(remote).to_arrow_table().num_rows
    sys.stdout.write(f"{number} {rows}\n")
    sys.stdout.flush()


if ROLE == "serve":
    serve()
else:
    with ThreadPoolExecutor(CALLERS) as pool:
        for work in [pool.submit(query, line) for line in iter(sys.stdin.readline, "")]:
            work.result()
