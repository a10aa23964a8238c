"""Fixtures of pytest for a Quern service in memory. Copy this file beside your tests; it needs Python's standard library
and a mock server. QUERN_MOCK_URL names one that runs. Otherwise the fixtures start one for each test session with the command
of QUERN_MOCK, by default `npx --no quern mock`.

    def test_cars(quern):
        quern.when("select name from cars", rows=[{"name": "fiat 128"}])
        assert my_code(quern.url, quern.api_key) == ["fiat 128"]
        assert len(quern.calls("createQueryRun")) == 1
"""

import json
import os
import shlex
import subprocess
import urllib.error
import urllib.request
import warnings

import pytest


class AdminError(Exception):
    """What the mock refuses, with `code` and `data` as `spec/mock-admin.json` has them."""

    def __init__(self, error):
        super().__init__(f"{error['message']} ({error['code']}): {json.dumps(error.get('data'))}")
        self.code = error["code"]
        self.data = error.get("data")


class Namespace:
    """A service of one test's own: nothing that happens in another is seen here."""

    def __init__(self, url, admin_url, options):
        self.url = url
        self._endpoint = f"{admin_url}/json-rpc"
        self.api_key = self._call("createNamespace", options)["apiKey"]

    def when(self, match, **outcome):
        """Stubs statements with `rows` or `fails`, or a `sequence` of them, and `after`, `afterPolls`, `times`, `scenario`; returns the stub's id."""
        return self._of("stubStatement", match=match, **outcome)["stubId"]

    def fault(self, method, **fault):
        """Plans what goes wrong with a call: `on`, `times`, `status`, `body`, `travel`, `error` …"""
        self._of("planFault", method=method, **fault)

    def advance(self, by):
        """Lets time pass, such as "30s"; returns the time that it is then."""
        return self._of("advanceClock", by=by)["now"]

    def calls(self, method=None):
        """What was called and what was answered, the oldest first."""
        return [call for call in self._of("getHistory")["calls"] if method in (None, call["method"])]

    def unexpected(self):
        """What the test has not provided for: statements without a stub, unknown methods, invalid params."""
        return self._of("getHistory")["unexpected"]

    def unmet_faults(self):
        """Planned faults that have met no call."""
        return self._of("getHistory")["unmetFaults"]

    def unused_stubs(self):
        """Stubs that have matched no statement."""
        return self._of("getHistory", limit=0)["unusedStubs"]

    def unsafe(self):
        """What was answered beside the contract, because `when` said so by `unsafe`."""
        return self._of("getHistory")["unsafe"]

    def reset(self):
        """Forgets stubs, faults, runs and calls."""
        self._of("resetNamespace")

    def dispose(self):
        self._of("disposeNamespace")

    def _of(self, admin_method, /, **params):
        return self._call(admin_method, {"apiKey": self.api_key, **params})

    def _call(self, method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": [params]}).encode()
        request = urllib.request.Request(self._endpoint, body, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                reply = json.load(response)
        except urllib.error.HTTPError as error:
            reply = json.load(error)
        if "error" in reply:
            raise AdminError(reply["error"])
        return reply["result"]


@pytest.fixture(scope="session")
def quern_mock():
    """One mock server for all tests. One that it starts ends with this process, however that ends."""
    running = os.environ.get("QUERN_MOCK_URL", "").rstrip("/")
    if running:
        yield {"url": running, "adminUrl": f"{running}/admin"}
        return
    command = shlex.split(os.environ.get("QUERN_MOCK", "npx --no quern mock"))
    words = [*command, "--port", "0", "--json", "--parent", "stdin"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(
                f"{shlex.join(words)} did not start; install @quern/cli and @quern/mock-server,"
                " or set QUERN_MOCK to a command, or QUERN_MOCK_URL to a mock that runs"
            )
        yield json.loads(line)
        process.stdin.close()


@pytest.fixture
def quern_options():
    """What each namespace is made with; give your own fixture of this name to change it."""
    return {"strict": True}


@pytest.fixture
def quern(quern_mock, quern_options):
    """A service of the test's own, which fails a test that does more than it has provided for, or less than it has planned."""
    namespace = Namespace(quern_mock["url"], quern_mock["adminUrl"], quern_options)
    yield namespace
    problems = namespace.unexpected() + namespace.unmet_faults()
    for stub in namespace.unused_stubs():
        warnings.warn(f"unused stub: {stub}; remove it, or correct its matcher", stacklevel=1)
    unsafe = [f"unsafe answer to {call}" for call in namespace.unsafe()]
    namespace.dispose()
    if problems:
        lines = "\n  ".join(problems + unsafe)
        pytest.fail(f"the mock server met what the test does not provide for:\n  {lines}", pytrace=False)
