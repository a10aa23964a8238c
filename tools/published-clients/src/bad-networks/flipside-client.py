"""Performs the task of a case of `quern conform-client` with the published client `flipside`."""

import json
import re
import sys

import requests
from flipside import Flipside
from flipside.errors import QueryRunCancelledError, QueryRunExecutionError, QueryRunTimeoutError, SDKError
from flipside.rpc import RPC

task = json.load(sys.stdin)
flipside = Flipside(task["apiKey"], task["url"])

# The client returns models, which lack members of a result. A case needs the whole result, so the responses are
# recorded.
answers = []
handle_response = RPC._handle_response


def remember(self, response, method):
    answers.append(response)
    return handle_response(self, response, method)


RPC._handle_response = remember


def ending_of(error):
    code = re.search(r"code=(\S+)$", str(error))
    status = re.search(r"(?:status_code|statusCode)\D*(\d+)|: (\d{3}) - ", str(error))
    kinds = {QueryRunExecutionError: "failed", QueryRunCancelledError: "canceled", QueryRunTimeoutError: "timeout"}
    if type(error) in kinds:
        return kinds[type(error)]
    if code:
        return f"{'http' if str(error).startswith('Unauthorized') else 'rpc'} {code[1]}"
    if status and "200" not in status.groups():
        return f"http {status[1] or status[2]}"
    is_network = isinstance(error, requests.RequestException) and not isinstance(error, ValueError)
    return "network" if is_network else "protocol"


def call(method, params):
    if method == "createQueryRun":
        flipside.rpc.create_query(params)
    elif method == "getQueryRun":
        flipside.get_query_run(params["queryRunId"])
    else:
        flipside.get_query_results(params["queryRunId"], page_size=100)
    return answers[-1].json()["result"]


def query(wanted):
    # Its own deadline is in whole minutes, so a minute is the shortest.
    return flipside.query(wanted["sql"], page_size=wanted.get("pageSize"), timeout_minutes=1, retry_interval_seconds=0.02).rows


def ending(work):
    try:
        return {"result": work()}
    except Exception as error:  # Each exception is an outcome of the call.
        return {"error": ending_of(error)}


calls = task.get("calls", []) + task.get("sequence", [])
endings = [ending(lambda: query(task["query"]))] if "query" in task else []
endings += [ending(lambda: call(**one)) for one in calls]
print(json.dumps({"endings": endings}))
