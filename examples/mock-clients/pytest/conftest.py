"""Pytest fixtures that give each test an isolated Quern mock. Copy this file beside your tests; it needs Python's standard
library and a mock server. QUERN_MOCK_URL is the base URL of a running one. Otherwise the fixtures start one for each test session
with the command of QUERN_MOCK, by default `npx --no quern mock`.

    def test_cars(quern):
        quern.when("select name from cars", rows=[{"name": "fiat 128"}])
        assert my_code(quern.url, quern.api_key) == ["fiat 128"]
        assert len(quern.calls("createQueryRun")) == 1
"""

import json
import os
import shlex
import shutil
import subprocess
import urllib.error
import urllib.request
import warnings

import pytest


class AdminError(Exception):
    """Error of the administration API, with the `code` and `data` of `spec/mock-admin.json`."""

    def __init__(self, error):
        super().__init__(f"{error['message']} ({error['code']}): {json.dumps(error.get('data'))}")
        self.code = error["code"]
        self.data = error.get("data")


class Namespace:
    """Isolated mock of one test: other tests do not see its stubs, runs and calls."""

    def __init__(self, url, admin_url, options):
        self.url = url
        self._endpoint = f"{admin_url}/json-rpc"
        self.api_key = self._call("createNamespace", options)["apiKey"]

    def when(self, match, **outcome):
        """Stubs the statements that match, and returns the id of the stub. The outcome has `rows`, `fails` or `sequence`, and `after`,
        `afterPolls`, `times` or `scenario`."""
        return self._admin("stubStatement", match=match, **outcome)["stubId"]

    def fault(self, method, **fault):
        """Plans a fault of a method's next call: `on`, `times`, `status`, `body`, `connection`, `error` and others of planFault."""
        self._admin("planFault", method=method, **fault)

    def advance(self, by):
        """Moves the clock forward, for example by "30s", and returns its new time."""
        return self._admin("advanceClock", by=by)["now"]

    def calls(self, method=None):
        """Returns the calls of a method, the oldest first; those of all methods by default."""
        return [call for call in self._admin("getHistory")["calls"] if method in (None, call["method"])]

    def unexpected(self):
        """Returns unexpected calls: statements without a stub, unknown methods, invalid params."""
        return self._admin("getHistory")["unexpected"]

    def unused_faults(self):
        """Returns planned faults that met no call."""
        return self._admin("getHistory")["unusedFaults"]

    def unused_stubs(self):
        """Returns stubs that matched no statement."""
        return self._admin("getHistory", limit=0)["unusedStubs"]

    def contract_violations(self):
        """Returns calls whose results a stub changed by `violateContract`."""
        return self._admin("getHistory")["contractViolations"]

    def reset(self):
        """Forgets stubs, faults, runs and calls."""
        self._admin("resetNamespace")

    def dispose(self):
        """Ends the namespace."""
        self._admin("disposeNamespace")

    def _admin(self, admin_method, /, **params):
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
    """Mock server of all tests. One that this fixture starts ends with this process, also with a killed one."""
    running = os.environ.get("QUERN_MOCK_URL", "").rstrip("/")
    if running:
        yield {"url": running, "adminUrl": f"{running}/admin"}
        return
    command = shlex.split(os.environ.get("QUERN_MOCK", "npx --no quern mock"))
    # Windows has a script named npx, which it finds with its extension only.
    command[0] = shutil.which(command[0]) or command[0]
    words = [*command, "--port", "0", "--json", "--parent", "stdin"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(
                f"{shlex.join(words)} did not start; install @quern/cli and @quern/mock-server,"
                " or set QUERN_MOCK to a command, or QUERN_MOCK_URL to a running mock"
            )
        yield json.loads(line)
        process.stdin.close()


@pytest.fixture
def quern_options():
    """Options of each namespace; define a fixture of this name to change them."""
    return {"strict": True}


@pytest.fixture
def quern(quern_mock, quern_options):
    """Isolated strict mock. It fails the test for a statement without a stub, an invalid call, and a fault that met no call."""
    namespace = Namespace(quern_mock["url"], quern_mock["adminUrl"], quern_options)
    yield namespace
    problems = namespace.unexpected() + namespace.unused_faults()
    for stub in namespace.unused_stubs():
        warnings.warn(f"unused stub: {stub}; remove it, or correct its matcher", stacklevel=1)
    violations = [f"contract violation in the answer to {call}" for call in namespace.contract_violations()]
    namespace.dispose()
    if problems:
        lines = "\n  ".join(problems + violations)
        pytest.fail(f"the mock server reports unexpected calls or unused faults:\n  {lines}", pytrace=False)
