// Package quernmock gives each Go test an isolated Quern mock. Copy its folder into your module; it needs the standard library and a mock
// server. QUERN_MOCK_URL is the base URL of a running one. Otherwise the package starts one for each test binary with the command of
// QUERN_MOCK, by default `npx --no quern mock`.
//
//	func TestCars(t *testing.T) {
//		mock := quernmock.New(t)
//		mock.When("select name from cars", quernmock.Object{"rows": []quernmock.Object{{"name": "fiat 128"}}})
//		names := myCode(mock.URL, mock.APIKey)
//		…
//	}
package quernmock

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// Object is a JSON object.
type Object = map[string]any

// AdminError is an error of the administration API, with the code and data of spec/mock-admin.json.
type AdminError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *AdminError) Error() string {
	var data struct{ Reason string }
	if json.Unmarshal(e.Data, &data) == nil && data.Reason != "" {
		return fmt.Sprintf("%s (%d): %s", e.Message, e.Code, data.Reason)
	}
	return fmt.Sprintf("%s (%d)", e.Message, e.Code)
}

// Call is a received call and its answer.
type Call struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	At     time.Time       `json:"at"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// History has the calls of a namespace, and its problems, which a test reports at its end.
type History struct {
	Calls              []Call   `json:"calls"`
	Unexpected         []string `json:"unexpected"`
	UnusedFaults       []string `json:"unusedFaults"`
	UnusedStubs        []string `json:"unusedStubs"`
	ContractViolations []string `json:"contractViolations"`
}

// Namespace is the isolated mock of one test: other tests do not see its stubs, runs and calls.
type Namespace struct {
	URL    string
	APIKey string
	t      testing.TB
}

// New creates a namespace. The end of the test asserts that the test met no problem, and ends the namespace: the test fails for a statement
// without a stub, an invalid call, and a fault that met no call; stubs that matched no statement are logged. The options are those of
// createNamespace, such as Object{"clock": Object{"auto": true}}; strict is true by default.
func New(t testing.TB, options ...Object) *Namespace {
	t.Helper()
	url, err := mockURL()
	if err != nil {
		t.Fatal(err)
	}
	params := Object{"strict": true}
	for _, more := range options {
		maps.Copy(params, more)
	}
	var made struct {
		APIKey string `json:"apiKey"`
	}
	if err := call(url, "createNamespace", params, &made); err != nil {
		t.Fatal(err)
	}
	namespace := &Namespace{URL: url, APIKey: made.APIKey, t: t}
	t.Cleanup(namespace.finish)
	return namespace
}

// When stubs the statements that match, and returns the id of the stub. match is SQL, or an Object with sql, pattern, tags, parameters or
// dataSource. The outcome has rows, fails or sequence, and after, afterPolls, times or scenario.
func (n *Namespace) When(match any, outcome Object) string {
	n.t.Helper()
	params := maps.Clone(outcome)
	if params == nil {
		params = Object{}
	}
	params["match"] = match
	var made struct {
		StubID string `json:"stubId"`
	}
	n.must("stubStatement", params, &made)
	return made.StubID
}

// Fault plans a fault of a method's next call: on, times, status, body, connection, error and others of planFault.
func (n *Namespace) Fault(method string, fault Object) {
	n.t.Helper()
	params := maps.Clone(fault)
	if params == nil {
		params = Object{}
	}
	params["method"] = method
	n.must("planFault", params, nil)
}

// Advance moves the clock forward, for example by 30*time.Second, and returns its new time.
func (n *Namespace) Advance(by time.Duration) time.Time {
	n.t.Helper()
	var clock struct {
		Now time.Time `json:"now"`
	}
	n.must("advanceClock", Object{"by": float64(by) / float64(time.Millisecond)}, &clock)
	return clock.Now
}

// Calls returns the calls of a method, the oldest first; those of all methods for "".
func (n *Namespace) Calls(method string) []Call {
	n.t.Helper()
	params := Object{}
	if method != "" {
		params["method"] = method
	}
	var history History
	n.must("getHistory", params, &history)
	return history.Calls
}

// History returns all calls and problems.
func (n *Namespace) History() History {
	n.t.Helper()
	var history History
	n.must("getHistory", Object{}, &history)
	return history
}

// Reset forgets stubs, faults, runs and calls.
func (n *Namespace) Reset() {
	n.t.Helper()
	n.must("resetNamespace", Object{}, nil)
}

// Admin calls a method of spec/mock-admin.json for this namespace, and decodes its result unless result is nil.
func (n *Namespace) Admin(method string, params Object, result any) error {
	own := maps.Clone(params)
	if own == nil {
		own = Object{}
	}
	own["apiKey"] = n.APIKey
	return call(n.URL, method, own, result)
}

func (n *Namespace) must(method string, params Object, result any) {
	n.t.Helper()
	if err := n.Admin(method, params, result); err != nil {
		n.t.Fatalf("%s: %v", method, err)
	}
}

// finish asserts that the test met no problem, and ends the namespace.
func (n *Namespace) finish() {
	var history History
	if err := n.Admin("getHistory", Object{"limit": 0}, &history); err != nil {
		n.t.Errorf("getHistory: %v", err)
		return
	}
	for _, stub := range history.UnusedStubs {
		n.t.Logf("unused stub: %s; remove it, or correct its matcher", stub)
	}
	problems := append(history.Unexpected, history.UnusedFaults...)
	if len(problems) > 0 {
		for _, text := range history.ContractViolations {
			problems = append(problems, "contract violation in the answer to "+text)
		}
		n.t.Errorf("the mock server reports unexpected calls or unused faults:\n  %s", strings.Join(problems, "\n  "))
	}
	if err := n.Admin("disposeNamespace", nil, nil); err != nil {
		n.t.Errorf("disposeNamespace: %v", err)
	}
}

var client = http.Client{Timeout: 30 * time.Second}

func call(url, method string, params Object, result any) error {
	body, err := json.Marshal(Object{"jsonrpc": "2.0", "id": 1, "method": method, "params": []any{params}})
	if err != nil {
		return err
	}
	response, err := client.Post(url+"/admin/json-rpc", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var reply struct {
		Result json.RawMessage `json:"result"`
		Error  *AdminError     `json:"error"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return fmt.Errorf("HTTP %d: %s", response.StatusCode, text)
	}
	if reply.Error != nil {
		return reply.Error
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(reply.Result, result)
}

// mockInput is the standard input of the mock, which ends when it closes. This reference keeps the finalizer from closing it early.
var mockInput io.WriteCloser

const remedy = "install @quern/cli and @quern/mock-server, or set QUERN_MOCK to a command, or QUERN_MOCK_URL to a running mock"

// mockURL returns the base URL of the mock; the first call starts one unless QUERN_MOCK_URL is set.
var mockURL = sync.OnceValues(func() (string, error) {
	if url := os.Getenv("QUERN_MOCK_URL"); url != "" {
		return strings.TrimRight(url, "/"), nil
	}
	words := strings.Fields(os.Getenv("QUERN_MOCK"))
	if len(words) == 0 {
		words = []string{"npx", "--no", "quern", "mock"}
	}
	words = append(words, "--port", "0", "--json", "--parent", "stdin")
	command := exec.Command(words[0], words[1:]...)
	command.Stderr = os.Stderr
	input, errIn := command.StdinPipe()
	output, errOut := command.StdoutPipe()
	if err := errors.Join(errIn, errOut, command.Start()); err != nil {
		return "", fmt.Errorf("cannot start %q: %w; %s", words, err, remedy)
	}
	mockInput = input
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err != nil {
		return "", fmt.Errorf("%q exited before it listened: %v; %s", words, command.Wait(), remedy)
	}
	var address struct {
		URL string `json:"url"`
	}
	err = json.Unmarshal(line, &address)
	return address.URL, err
})
