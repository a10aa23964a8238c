"""Client of the Python standard library: reads the calls of a case from stdin, and writes their endings to stdout."""

import http.client
import json
import os
import signal
import sys
import threading
import time
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

ask = json.load(sys.stdin)
endpoint = urlsplit(ask["url"])
gave_up = threading.Event()
signal.signal(signal.SIGINT, lambda *_: gave_up.set())
FINAL = {"QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"}
TRANSIENT = {408, 429, 502, 503, 504}


class Ended(Exception):
    """Ending of a call without a result, with the data of the error."""

    def __init__(self, ending, data=None):
        super().__init__(ending)
        self.data = data


class Deadline:
    def __init__(self, milliseconds):
        self.at = time.monotonic() + milliseconds / 1000

    def left(self):
        if gave_up.is_set():
            raise Ended("aborted")
        left = self.at - time.monotonic()
        if left <= 0:
            raise Ended("timeout")
        return left

    def wait(self, seconds):
        if seconds > self.left():
            raise Ended("timeout")
        gave_up.wait(seconds)
        self.left()


def exchange(body, deadline, answer):
    """One HTTP exchange. It runs in a thread that is abandoned after the deadline."""
    connection = http.client.HTTPConnection(endpoint.hostname, endpoint.port, timeout=deadline.left())
    try:
        headers = {"content-type": "application/json", "x-api-key": ask["apiKey"]}
        connection.request("POST", "/json-rpc", body, headers)
        response = connection.getresponse()
        answer.append((response.status, response.headers.get("retry-after"), response.read()))
    except (OSError, http.client.HTTPException, ValueError) as error:
        answer.append(error)
    finally:
        connection.close()


def attempt(body, deadline):
    answer = []
    thread = threading.Thread(target=exchange, args=(body, deadline, answer), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(min(deadline.left(), 0.02))
    deadline.left()
    if isinstance(answer[0], Exception):
        raise Ended("network")
    return answer[0]


def pause(retry_after):
    try:
        seconds = float(retry_after)
    except (TypeError, ValueError):
        try:
            seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
        except (TypeError, ValueError):
            seconds = 0.01
    return max(seconds, 0)


def result_of(raw, status):
    def refuse():
        raise Ended("protocol" if status == 200 else f"http {status}")

    try:
        reply = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        refuse()
    if not isinstance(reply, dict):
        refuse()
    error = reply.get("error")
    if isinstance(error, dict) and type(error.get("code")) is int:
        if reply.get("id") not in (1, None):
            refuse()
        if error["code"] == -32029:
            return None, error
        raise Ended(f"rpc {error['code']}", error.get("data"))
    if error is not None or "result" not in reply or reply.get("id") != 1 or type(reply.get("id")) is not int:
        refuse()
    if status not in (200, 201):
        refuse()
    return reply["result"], None


def call(method, params, deadline, attempts=4):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": [params]})
    for left in range(attempts - 1, -1, -1):
        repeatable = left > 0 and method != "createQueryRun"
        try:
            status, retry_after, raw = attempt(body, deadline)
        except Ended as ended:
            if str(ended) != "network" or not repeatable:
                raise
            continue
        refused = status == 429 or (status == 503 and retry_after is not None)
        if status in TRANSIENT and (repeatable or (refused and left > 0)):
            deadline.wait(pause(retry_after))
            continue
        result, busy = result_of(raw, status)
        if busy is None:
            return result
        deadline.wait(0.001)
    raise Ended("rpc -32029")


def member(value, name, kind):
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, kind):
        raise Ended("protocol")
    return found


def create(sql, deadline):
    while True:
        try:
            return call("createQueryRun", {"sql": sql}, deadline)
        except Ended as ended:
            if str(ended) != "rpc -32171":
                raise
            deadline.wait(0.05)


def query(sql, page_size, deadline):
    run_id = member(member(create(sql, deadline), "queryRequest", dict), "queryRunId", str)
    try:
        while True:
            state = member(member(call("getQueryRun", {"queryRunId": run_id}, deadline), "queryRun", dict), "state", str)
            if state in FINAL:
                break
            deadline.wait(0.02)
        if state != "QUERY_STATE_SUCCESS":
            raise Ended("failed" if state == "QUERY_STATE_FAILED" else "canceled")
        return pages(run_id, page_size, deadline)
    except Ended as ended:
        if str(ended) in ("timeout", "aborted"):
            gave_up.clear()
            try:
                call("cancelQueryRun", {"queryRunId": run_id}, Deadline(2000), 1)
            except Ended:
                pass
        raise


def pages(run_id, size, deadline):
    rows, number = [], 1
    while True:
        wanted = {"queryRunId": run_id, "format": "csv", "page": {"number": number, "size": size}}
        try:
            result = call("getQueryRunResults", wanted, deadline)
        except Ended as ended:
            if str(ended) != "rpc -32170" or size == 1 or rows:
                raise
            fits = ended.data.get("maxPageSize") if isinstance(ended.data, dict) else None
            size = max(1, min(fits, size - 1) if type(fits) is int else size // 2)
            continue
        names, page = member(result, "columnNames", list), result.get("rows")
        total = result["page"].get("totalRows") if isinstance(result.get("page"), dict) else None
        if not isinstance(page, list) or any(not isinstance(row, list) or len(row) > len(names) for row in page):
            raise Ended("protocol")
        rows += page
        whole = type(total) is int and total >= 0
        if (len(rows) >= total) if whole else len(page) < size:
            return rows
        if len(page) < size:
            raise Ended("protocol")
        number += 1


def ending(work):
    try:
        return {"result": work(Deadline(ask["timeoutMs"]))}
    except Ended as ended:
        return {"error": str(ended)}


def called(one):
    return ending(lambda deadline: call(one["method"], one["params"], deadline))


if "query" in ask:
    wanted = ask["query"]
    endings = [ending(lambda deadline: query(wanted["sql"], wanted.get("pageSize", 10000), deadline))]
else:
    endings = [called(one) for one in ask.get("calls", []) + ask.get("sequence", [])]
print(json.dumps({"endings": endings}), flush=True)
os._exit(0)
