"""Thin HTTP interface of ClickHouse before chdb, which is the engine within this process: python3 http_shim.py

Statements, parameters, settings, formats and the text of errors go to the engine and back unchanged. Each request has a
connection of its own. The engine names its queries itself, so the shim translates the query ids of KILL QUERY and of
system.processes. There are no users, profiles, quotas or limits of the HTTP server: each request is answered as if its
user had all rights. Prints the port, and ends when its standard input does.
"""

import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import chdb

# Members of the query string that are not settings of the engine.
HTTP_ONLY = {"query_id", "default_format", "database", "wait_end_of_query", "user", "password", "session_id"}
STATUS = {"60": 404, "81": 404, "46": 404, "47": 404, "62": 400, "43": 400, "457": 400, "497": 403, "164": 500}

engine = chdb.connect(":memory:")
engine.query("CREATE DATABASE shop")
engine.query(
    "CREATE TABLE shop.places (id Int64, spot Tuple(x Float64, y Float64), at Nullable(DateTime64(6))) ENGINE = Memory"
)
engine.query(
    "CREATE TABLE shop.visits (day Date, place Int64 COMMENT 'id of the place', `the note` String) ENGINE = MergeTree"
    " ORDER BY (place, day) COMMENT 'One row a visit'"
)
engine.query("INSERT INTO shop.visits SELECT '2026-01-02', number, '' FROM numbers(1000)")
running = {}  # comment of the log by query id, while the query runs


def literal(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def engine_id(query_id):
    """Returns the engine's id of a query that runs, once it has begun. Waits a moment for a request that arrives."""
    until = time.monotonic() + 0.5
    while query_id not in running and time.monotonic() < until:
        time.sleep(0.02)
    while (comment := running.get(query_id)) is not None:
        sql = f"SELECT query_id FROM system.processes WHERE Settings['log_comment'] = {literal(comment)}"
        connection = chdb.connect(":memory:")
        found = connection.query(sql, "TSV").bytes().decode().split("\n")[0]
        connection.close()
        if found:
            return found
        time.sleep(0.02)
    return query_id


def run(sql, query):
    """Returns the result in the requested format, or raises the error of the engine."""
    connection = chdb.connect(":memory:")
    query_id = query.get("query_id", "")
    if "log_comment" in query:
        running[query_id] = query["log_comment"]
    try:
        if "database" in query:
            connection.query("USE `" + query["database"].replace("`", "``") + "`")
        names = [name for name in query if name not in HTTP_ONLY]
        # The setting readonly allows no others after it.
        for name in sorted(names, key=lambda name: name == "readonly"):
            value = query[name]
            if name == "param_id":
                value = engine_id(value)
            connection.query(f"SET {name} = {literal(value)}")
        return connection.query(sql, query.get("default_format", "TabSeparated"))
    finally:
        running.pop(query_id, None)
        connection.close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200, {}, b"Ok.\n")

    def do_POST(self):
        query = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        length = self.headers.get("Content-Length")
        sql = (self.rfile.read(int(length)) if length is not None else b"".join(self.chunks())).decode()
        ids = {"X-ClickHouse-Query-Id": query.get("query_id", "")}
        try:
            result = run(sql, query)
        except Exception as error:
            text = str(error)
            code = re.match(r"Code: (\d+)", text)
            code = "1002" if code is None else code[1]
            self.answer(STATUS.get(code, 500), {**ids, "X-ClickHouse-Exception-Code": code}, text.encode())
            return
        summary = json.dumps({"read_rows": str(result.rows_read()), "read_bytes": str(result.bytes_read())})
        headers = {"X-ClickHouse-Format": query.get("default_format", "TabSeparated"), "X-ClickHouse-Summary": summary}
        self.answer(200, {**ids, **headers}, result.bytes())

    def chunks(self):
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # the client has left


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
os._exit(0)
