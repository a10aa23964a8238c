// The scenario of scenario.mjs, by package quernmock and Go's standard library.
package cars

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/cars/quernmock"
)

type object = quernmock.Object

func call(t *testing.T, mock *quernmock.Namespace, method string, params object) object {
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
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	return reply.Result
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func meet(t *testing.T, runner string) {
	folder := os.Getenv("SCENARIO_FOLDER")
	if err := os.WriteFile(filepath.Join(folder, runner), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "all")); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func TestScenario(t *testing.T) {
	mock := quernmock.New(t, object{"clock": object{"startAt": "2030-01-01T00:00:00Z", "ticking": false}})
	row := object{"id": "Go", "state": "open", "format": 1}
	failure := object{"fails": object{"errorMessage": "out of memory"}, "times": 2}
	// The order of columns is that of a table.
	rows := object{"columns": []string{"id", "state", "format"}, "rows": [][]any{{row["id"], row["state"], row["format"]}}}
	mock.When("select * from jobs", object{"sequence": []object{failure, {"rows": rows}}})
	mock.When("select slow", object{"rows": []object{}, "after": "30s"})
	meet(t, "Go")

	create := func(sql string) any {
		return call(t, mock, "createQueryRun", object{"sql": sql})["queryRun"].(object)["id"]
	}
	state := func(run any) any {
		return call(t, mock, "getQueryRun", object{"queryRunId": run})["queryRun"].(object)["state"]
	}
	equal(t, state(create("select * from jobs")), "QUERY_STATE_FAILED")
	equal(t, state(create("select * from jobs")), "QUERY_STATE_FAILED")
	third := create("select * from jobs")
	equal(t, state(third), "QUERY_STATE_SUCCESS")
	page := call(t, mock, "getQueryRunResults", object{"queryRunId": third})
	equal(t, page["columnNames"], []any{"id", "state", "format"})
	equal(t, page["rows"], []any{[]any{"Go", "open", 1.0}})

	slow := create("select slow")
	equal(t, state(slow), "QUERY_STATE_RUNNING")
	equal(t, mock.Advance(30*time.Second), time.Date(2030, 1, 1, 0, 0, 30, 0, time.UTC))
	equal(t, state(slow), "QUERY_STATE_SUCCESS")

	var made []string
	for _, one := range mock.Calls("") {
		var params struct{ SQL string }
		_ = json.Unmarshal(one.Params, &params)
		made = append(made, strings.TrimSpace(one.Method+" "+params.SQL))
	}
	equal(t, made, []string{
		"createQueryRun select * from jobs", "getQueryRun",
		"createQueryRun select * from jobs", "getQueryRun",
		"createQueryRun select * from jobs", "getQueryRun", "getQueryRunResults",
		"createQueryRun select slow", "getQueryRun", "getQueryRun",
	})

	equal(t, state(create("select elsewhere")), "QUERY_STATE_FAILED")
	unexpected := mock.History().Unexpected
	if len(unexpected) != 1 || !strings.HasPrefix(unexpected[0], `no stub matches "select elsewhere"`) {
		t.Fatal(unexpected)
	}
	mock.Reset()
}
