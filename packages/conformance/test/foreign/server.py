"""Query service of the three basic methods, on the Python standard library. FAULT=1 to 10 plays one fault."""

import hashlib
import itertools
import json
import math
import os
import re
import sqlite3
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULT = int(os.environ.get("FAULT", "0"))
MEMBERS = {
    "createQueryRun": {"sql": str, "resultTTLHours": int, "maxAgeMinutes": int, "tags": dict, "dataSource": str, "dataProvider": str},
    "getQueryRun": {"queryRunId": str},
    "getQueryRunResults": {"queryRunId": str, "format": str, "page": dict},
    "page": {"number": int, "size": int},
}
NULLS = "fileCount lastFileNumber fileNames errorName errorMessage errorData dataSourceQueryId dataSourceSessionId startedAt queryRunningEndedAt queryStreamingEndedAt endedAt rowCount totalSize archivedAt"
runs, numbers = {}, itertools.count(1)


class Refusal(Exception):
    def __init__(self, code, message, **data):
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


def checked(value, kinds, at, *required):
    def refuse(name, expected, received):
        raise Refusal(-32602, "Invalid params", issues=[{"pointer": f"{at}{name}", "expected": expected, "received": received}])
    if not isinstance(value, dict):
        refuse("", "an object", type(value).__name__)
    for name in required:
        if name not in value:
            refuse("/" + name, "a string", "nothing")
    for name, given in value.items():
        kind = kinds.get(name)
        if kind is int and isinstance(given, float) and given.is_integer():
            value[name] = given = int(given)
        if type(given) is not kind or given == "" or kind is int and given < (name == "number"):
            refuse("/" + name, kind.__name__ if kind else "no such member", type(given).__name__)
    return value


def instant(seconds):
    text = datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds")[:23]
    return text if FAULT == 4 else text + "Z"


def record_of(run):
    age, at = time.time() - run["at"], run["at"]
    state = "FAILED" if run["error"] else "SUCCESS"
    run["polls"] += age > 0.04
    if age < 0.04 or (FAULT == 6 and run["polls"] % 3 == 0):
        state = "READY" if age < 0.02 else "RUNNING"
    record = {**dict.fromkeys(NULLS.split()), "id": run["id"], "sqlStatementId": "s" + run["id"], "path": "runs/" + run["id"],
              "state": "QUERY_STATE_" + state, "tags": run["tags"], "dataSourceId": "main", "userId": "u1",
              "createdAt": instant(at), "updatedAt": instant(at)}  # fmt: skip
    if state != "READY":
        record["startedAt"] = instant(at + 0.02)
    if state in ("SUCCESS", "FAILED"):
        record["endedAt"] = instant(time.time() if FAULT == 9 else at + 0.04)
    if state == "SUCCESS":
        ended = instant(at + 0.04)
        record |= {"rowCount": len(run["rows"]), "totalSize": "64", "queryRunningEndedAt": ended, "queryStreamingEndedAt": ended}
    return record | ({"errorName": "SqlError", "errorMessage": run["error"]} if state == "FAILED" else {})


def create(sql, resultTTLHours=1, maxAgeMinutes=0, tags=None, **_):
    run = {"id": f"r{next(numbers)}", "at": time.time(), "sql": sql, "tags": tags or {}, "polls": 0, "error": None}
    # SQLite names the columns of VALUES in a WITH clause only.
    statement = re.sub(r"^(select .*) from \((values .*)\) as (\w+)(\(.*?\))( where .*)?$", r"with \3\4 as (\2) \1 from \3\5", sql, flags=re.S)
    try:
        database = sqlite3.connect(":memory:")
        database.set_progress_handler(lambda: True, 10_000_000)  # ends statements that run for more than about a second
        cursor = database.execute(statement)
        run |= {"columns": [column[0] for column in cursor.description or []], "rows": [list(row) for row in cursor]}
    except (sqlite3.Error, ValueError) as error:
        run["error"] = str(error)
    runs[run["id"]] = run
    own = {"sqlStatementId": "s" + run["id"], "userId": "u1", "tags": run["tags"], "createdAt": instant(run["at"]), "updatedAt": instant(run["at"])}
    request = {"id": "q" + run["id"], "queryRunId": run["id"], "userSkipCache": False, "triggeredQueryRun": True,
               "maxAgeMinutes": min(maxAgeMinutes, 10080), "resultTTLHours": min(max(resultTTLHours, 1), 720)}  # fmt: skip
    kept = {"id": "s" + run["id"], "sql": sql, "columnMetadata": None, "statementHash": hashlib.sha256(sql.encode("utf8", "replace")).hexdigest()}
    if FAULT == 3:
        del kept["statementHash"]
    return {"queryRequest": request | own, "queryRun": record_of(run), "sqlStatement": kept | own}


def known(run_id):
    if run_id not in runs:
        raise Refusal(-32100 if FAULT == 8 else -32099, "No such run", queryRunId=run_id)
    return runs[run_id]


def results(queryRunId, format="csv", page={}):
    page = {"number": 1, "size": 1000} | checked(page, MEMBERS["page"], "/params/0/page")
    run, (number, size) = known(queryRunId), (page["number"], page["size"])
    record = record_of(run)
    if format not in ("csv", "json"):
        raise Refusal(-32153, "No such format", supported=["csv", "json"])
    if record["state"] != "QUERY_STATE_SUCCESS":
        raise Refusal(-32151, "Not finished", state=record["state"])
    columns, rows = run["columns"], run["rows"]
    start = (number if FAULT == 5 else number - 1) * size
    part = rows[start : start + size]
    total = len(part) if FAULT == 7 else len(rows)
    return {"columnNames": columns, "columnTypes": ["number" if isinstance(cell, (int, float)) else "string" for cell in (rows or [columns])[0]],
            "rows": part if format == "csv" else [dict(zip(columns, row)) for row in part], "format": format, "sql": run["sql"],
            "page": {"currentPageNumber": number, "currentPageSize": size, "totalRows": total, "totalPages": -(-total // size) if size else 0},
            "originalQueryRun": record, "redirectedToQueryRun": None}  # fmt: skip


def perform(method, params):
    required = "sql" if method == "createQueryRun" else "queryRunId"
    if method not in ("createQueryRun", "getQueryRun", "getQueryRunResults"):
        raise Refusal(-32601, "Method not found")
    if not isinstance(params, list) or len(params) != 1:
        raise Refusal(-32602, "Invalid params", issues=[{"pointer": "/params", "expected": "an array of one object", "received": "another"}])
    given = checked(params[0], MEMBERS[method], "/params/0", required)
    if method == "getQueryRun":
        return {"queryRun": record_of(known(**{"run_id": given["queryRunId"]}))}
    return create(**given) if method == "createQueryRun" else results(**given)


def failure(code, message, name=None):
    return {"jsonrpc": "2.0", "id": name, "error": {"code": code, "message": message}}


def reply(call):
    """Returns the response object of a call; None for a notification."""
    is_object = isinstance(call, dict)
    name = call.get("id") if is_object and type(call.get("id")) in (str, int, float) else None
    is_call = is_object and call.get("jsonrpc") == "2.0" and isinstance(call.get("method"), str) and isinstance(call.get("params", []), (list, dict))
    if not is_call or (name is None and call.get("id") is not None):
        return failure(-32600, "Invalid Request", name)
    try:
        answer = {"result": perform(call["method"], call.get("params", []))}
    except Refusal as refusal:
        answer = {"error": refusal.error}
    if "id" not in call and FAULT != 2:
        return None
    return {"jsonrpc": "2.0", "id": str(name) if FAULT == 1 else name, **answer}


def answer_to(body):
    def refuse(text):
        raise ValueError(text)
    def finite(text):
        return float(text) if math.isfinite(float(text)) else refuse(text)
    try:
        value = json.loads(body.decode("utf8"), parse_constant=refuse, parse_float=finite)
    except (ValueError, RecursionError):
        return failure(-32700, "Parse error")
    if not isinstance(value, list) or not value:
        return reply(value)
    replies = [one for one in map(reply, value) if one is not None]
    return replies[0] if FAULT == 10 and replies else replies or None


class Handler(BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def read(self):
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def send(self, status, value, **headers):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", "Content-Length": str(len(body)), "Access-Control-Allow-Origin": "*", **headers}.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.read()
        if self.path.replace("//", "/") != "/json-rpc":
            self.send(404, failure(-32600, "No such path"))
        elif self.headers.get("x-api-key") != os.environ["API_KEY"]:
            call = json.loads(body)
            self.send(401, failure(-32163, "No such key", call.get("id") if isinstance(call, dict) else None))
        elif not self.headers.get("content-type", "").lower().startswith("application/json"):
            self.send(415, failure(-32600, "Send application/json"))
        elif len(body) > 4_000_000:
            self.send(413, failure(-32600, "Send less"))
        else:
            answer = answer_to(body)
            self.send(204 if answer is None else 200, answer)

    def do_GET(self):
        self.read()
        self.send(405, failure(-32600, "Use POST"), Allow="POST")

    def do_OPTIONS(self):
        self.send(204, None, Access_Control_Allow_Headers="content-type,x-api-key", Access_Control_Allow_Methods="POST")

    def log_message(self, *_):
        pass

    do_PUT = do_GET


ThreadingHTTPServer.request_queue_size = 128
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
