"""Tests with the fixtures of `conftest.py`, whose client is the standard library."""

import json
import urllib.error
import urllib.request

import pytest


def call(quern, method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": [params]}).encode()
    headers = {"content-type": "application/json", "x-api-key": quern.api_key}
    with urllib.request.urlopen(urllib.request.Request(f"{quern.url}/json-rpc", body, headers), timeout=10) as response:
        return json.load(response)


def rows(quern, sql):
    run = call(quern, "createQueryRun", sql=sql)["result"]["queryRun"]["id"]
    assert call(quern, "getQueryRun", queryRunId=run)["result"]["queryRun"]["state"] == "QUERY_STATE_SUCCESS"
    return call(quern, "getQueryRunResults", queryRunId=run)["result"]["rows"]


def test_good_rows(quern):
    quern.when("select name from cars", rows=[{"name": "fiat 128"}])
    assert rows(quern, "SELECT name FROM cars;") == [["fiat 128"]]
    assert [one["method"] for one in quern.calls()] == ["createQueryRun", "getQueryRun", "getQueryRunResults"]
    assert quern.calls("createQueryRun")[0]["params"] == {"sql": "SELECT name FROM cars;"}


def test_good_sequence(quern):
    quern.when("select 1", sequence=[{"fails": {"errorMessage": "no"}, "times": 2}, {"rows": [{"n": 1}]}])
    runs = [call(quern, "createQueryRun", sql="select 1", waitSeconds=1)["result"]["queryRun"] for _ in range(3)]
    assert [run["state"][12:] for run in runs] == ["FAILED", "FAILED", "SUCCESS"]
    quern.when("select nothing", rows=[])
    assert quern.unused_stubs() == ['when("select nothing") matched no statement']


def test_good_isolation(quern):
    assert quern.calls() == []
    assert call(quern, "listQueryRuns")["result"]["queryRuns"] == []


def test_good_fault(quern):
    quern.fault("listQueryRuns", on=2, status=503)
    call(quern, "listQueryRuns")
    with pytest.raises(urllib.error.HTTPError, match="503"):
        call(quern, "listQueryRuns")


@pytest.mark.parametrize("quern_options", [{"clock": {"startAt": "2030-01-01T00:00:00Z", "ticking": False}}])
def test_good_time(quern):
    quern.when("select 1", rows=[], after="30s")
    run = call(quern, "createQueryRun", sql="select 1")["result"]["queryRun"]["id"]
    state = lambda: call(quern, "getQueryRun", queryRunId=run)["result"]["queryRun"]["state"]
    assert state() == "QUERY_STATE_RUNNING"
    assert quern.advance("30s") == "2030-01-01T00:00:30.000Z"
    assert state() == "QUERY_STATE_SUCCESS"


def test_good_reset(quern):
    call(quern, "getQueryRuns")
    assert len(quern.unexpected()) == 1
    quern.reset()


def test_good_refusal(quern):
    with pytest.raises(Exception, match="/params/0/on"):
        quern.fault("listQueryRuns", on=0)


def test_bad_contract_violation(quern):
    quern.when("select 1", violateContract={"createQueryRun": {"queryRun": {"state": 7}}})
    assert call(quern, "createQueryRun", sql="select 1")["result"]["queryRun"]["state"] == 7
    call(quern, "getQueryRuns")


def test_bad_fault(quern):
    quern.fault("listQueryRuns", status=503)


def test_bad_statement(quern):
    quern.when("select name from cars", rows=[])
    run = call(quern, "createQueryRun", sql="select name from trucks")["result"]["queryRun"]["id"]
    assert call(quern, "getQueryRun", queryRunId=run)["result"]["queryRun"]["state"] == "QUERY_STATE_FAILED"
