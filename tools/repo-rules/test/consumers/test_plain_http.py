"""The suite of a program that has no client: Python's standard library, with the fixtures of `conftest.py`."""

import json
import urllib.request

import pytest

SQL = "select name from cars"


def call(quern, method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": [params]}).encode()
    headers = {"content-type": "application/json", "x-api-key": quern.api_key}
    with urllib.request.urlopen(urllib.request.Request(f"{quern.url}/json-rpc", body, headers), timeout=30) as response:
        return json.load(response)["result"]


@pytest.mark.parametrize("number", range(20))
def test_rows_of_its_own(quern, number):
    quern.when(SQL, rows=[{"name": f"python {number}"}, {"name": "fiat 128"}])
    run = call(quern, "createQueryRun", sql=SQL)["queryRun"]["id"]
    assert call(quern, "getQueryRun", queryRunId=run)["queryRun"]["state"] == "QUERY_STATE_SUCCESS"
    assert call(quern, "getQueryRunResults", queryRunId=run)["rows"] == [[f"python {number}"], ["fiat 128"]]
    assert len(quern.calls("createQueryRun")) == 1
