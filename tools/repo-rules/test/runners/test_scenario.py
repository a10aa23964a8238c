"""The scenario of `scenario.mjs`, by `conftest.py` and Python's standard library."""

import json
import os
import pathlib
import time
import urllib.request

import pytest

FOLDER = pathlib.Path(os.environ["SCENARIO_FOLDER"])


def call(quern, method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": [params]}).encode()
    headers = {"content-type": "application/json", "x-api-key": quern.api_key}
    with urllib.request.urlopen(urllib.request.Request(f"{quern.url}/json-rpc", body, headers), timeout=30) as response:
        return json.load(response)["result"]


def meet(runner):
    (FOLDER / runner).touch()
    while not (FOLDER / "all").exists():
        time.sleep(0.05)


@pytest.mark.parametrize("quern_options", [{"strict": True, "clock": {"startAt": "2030-01-01T00:00:00Z", "ticking": False}}])
def test_scenario(quern):
    row = {"id": "pytest", "state": "open", "format": 1}
    failure = {"fails": {"errorMessage": "out of memory"}, "times": 2}
    quern.when("select * from jobs", sequence=[failure, {"rows": [row]}])
    quern.when("select slow", rows=[], after="30s")
    meet("pytest")

    create = lambda sql: call(quern, "createQueryRun", sql=sql)["queryRun"]["id"]
    state = lambda run: call(quern, "getQueryRun", queryRunId=run)["queryRun"]["state"]
    assert state(create("select * from jobs")) == "QUERY_STATE_FAILED"
    assert state(create("select * from jobs")) == "QUERY_STATE_FAILED"
    third = create("select * from jobs")
    assert state(third) == "QUERY_STATE_SUCCESS"
    page = call(quern, "getQueryRunResults", queryRunId=third)
    assert (page["columnNames"], page["rows"]) == (["id", "state", "format"], [["pytest", "open", 1]])

    slow = create("select slow")
    assert state(slow) == "QUERY_STATE_RUNNING"
    assert quern.advance("30s") == "2030-01-01T00:00:30.000Z"
    assert state(slow) == "QUERY_STATE_SUCCESS"

    poll = ["createQueryRun select * from jobs", "getQueryRun"]
    assert [f"{one['method']} {one['params'].get('sql', '')}".strip() for one in quern.calls()] == [
        *poll, *poll, *poll, "getQueryRunResults", "createQueryRun select slow", "getQueryRun", "getQueryRun",
    ]

    assert state(create("select elsewhere")) == "QUERY_STATE_FAILED"
    [unexpected] = quern.unexpected()
    assert unexpected.startswith('no stub matches "select elsewhere"')
    quern.reset()
