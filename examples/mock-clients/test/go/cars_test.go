package cars

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"cars/quernmock"
)

type object = quernmock.Object

func post(t *testing.T, mock *quernmock.Namespace, method string, params object) (int, object) {
	t.Helper()
	body, _ := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": []any{params}})
	request, _ := http.NewRequest("POST", mock.URL+"/json-rpc", bytes.NewReader(body))
	request.Header.Set("content-type", "application/json")
	request.Header.Set("x-api-key", mock.APIKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var reply struct{ Result object }
	_ = json.NewDecoder(response.Body).Decode(&reply)
	return response.StatusCode, reply.Result
}

func create(t *testing.T, mock *quernmock.Namespace, sql string) string {
	t.Helper()
	_, result := post(t, mock, "createQueryRun", object{"sql": sql})
	return result["queryRun"].(object)["id"].(string)
}

func state(t *testing.T, mock *quernmock.Namespace, run string) any {
	t.Helper()
	_, result := post(t, mock, "getQueryRun", object{"queryRunId": run})
	return result["queryRun"].(object)["state"]
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGoodRows(t *testing.T) {
	t.Parallel()
	mock := quernmock.New(t)
	mock.When("select name from cars", object{"rows": []object{{"name": "fiat 128"}}})
	run := create(t, mock, "SELECT name FROM cars;")
	equal(t, state(t, mock, run), "QUERY_STATE_SUCCESS")
	_, page := post(t, mock, "getQueryRunResults", object{"queryRunId": run})
	equal(t, page["rows"], []any{[]any{"fiat 128"}})
	equal(t, len(mock.Calls("")), 3)
	equal(t, string(mock.Calls("createQueryRun")[0].Params), `{"sql":"SELECT name FROM cars;"}`)
}

func TestGoodSequence(t *testing.T) {
	t.Parallel()
	mock := quernmock.New(t)
	failure := object{"fails": object{"errorMessage": "no"}, "times": 2}
	mock.When(object{"pattern": "select 1"}, object{"sequence": []object{failure, {"rows": []object{{"n": 1}}}}})
	for _, want := range []string{"QUERY_STATE_FAILED", "QUERY_STATE_FAILED", "QUERY_STATE_SUCCESS"} {
		equal(t, state(t, mock, create(t, mock, "select 1")), want)
	}
	mock.When("select nothing", object{"rows": []object{}})
	equal(t, mock.History().UnusedStubs, []string{`when("select nothing") matched no statement`})
}

func TestGoodFault(t *testing.T) {
	t.Parallel()
	mock := quernmock.New(t)
	mock.Fault("listQueryRuns", object{"on": 2, "status": 503})
	first, _ := post(t, mock, "listQueryRuns", object{})
	second, _ := post(t, mock, "listQueryRuns", object{})
	equal(t, []int{first, second}, []int{200, 503})
}

func TestGoodTime(t *testing.T) {
	t.Parallel()
	mock := quernmock.New(t, object{"clock": object{"startAt": "2030-01-01T00:00:00Z", "ticking": false}})
	mock.When("select 1", object{"rows": []object{}, "after": "30s"})
	run := create(t, mock, "select 1")
	equal(t, state(t, mock, run), "QUERY_STATE_RUNNING")
	equal(t, mock.Advance(30*time.Second), time.Date(2030, 1, 1, 0, 0, 30, 0, time.UTC))
	equal(t, state(t, mock, run), "QUERY_STATE_SUCCESS")
}

func TestGoodReset(t *testing.T) {
	t.Parallel()
	mock := quernmock.New(t)
	create(t, mock, "select 1")
	equal(t, mock.History().Unexpected, []string{`no stub matches "select 1"; none is defined`})
	mock.Reset()
}

func TestGoodRefusal(t *testing.T) {
	t.Parallel()
	err := quernmock.New(t).Admin("planFault", object{"method": "*", "statsu": 502}, nil)
	var refusal *quernmock.AdminError
	if !errors.As(err, &refusal) || refusal.Code != -32602 {
		t.Fatal(err)
	}
	equal(t, refusal.Message, "Invalid params: /params/0/statsu: expected no such member; did you mean status?, received 502")
}

func TestBadStatement(t *testing.T) {
	mock := quernmock.New(t)
	mock.When("select name from cars", object{"rows": []object{}})
	create(t, mock, "select name from trucks")
}

func TestBadContractViolation(t *testing.T) {
	mock := quernmock.New(t)
	mock.When("select 1", object{"violateContract": object{"createQueryRun": object{"queryRun": object{"state": 7}}}})
	create(t, mock, "select 1")
	post(t, mock, "getQueryRuns", object{})
}

func TestBadFault(t *testing.T) {
	quernmock.New(t).Fault("listQueryRuns", object{"status": 503})
}

func TestBadMethod(t *testing.T) {
	quernmock.New(t).Fault("getQueryRuns", object{"status": 503})
}

func TestBadStub(t *testing.T) {
	quernmock.New(t).When("select 1", object{"row": []object{}})
}
