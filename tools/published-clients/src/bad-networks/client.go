// A client with Go's standard library, as a program that reads rows would have it. It sends a repeatable call up to three
// times.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"time"
)

type call struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

var task struct {
	URL, APIKey     string
	TimeoutMs       int
	Calls, Sequence []call
	Query           *struct {
		SQL      string
		PageSize int
	}
}

type reply struct {
	ID     *int            `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct{ Code int }
}

func once(ctx context.Context, one call) (result json.RawMessage, isPassing bool, err error) {
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": one.Method, "params": []any{one.Params}})
	request, _ := http.NewRequestWithContext(ctx, "POST", task.URL+"/json-rpc", bytes.NewReader(body))
	request.Header.Set("content-type", "application/json")
	request.Header.Set("x-api-key", task.APIKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, true, failure(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, response.StatusCode == 429 || response.StatusCode >= 502, fmt.Errorf("http %d", response.StatusCode)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, true, failure(ctx, err)
	}
	var answer reply
	if json.Unmarshal(text, &answer) != nil || answer.ID == nil || *answer.ID != 1 || (answer.Error == nil) == (answer.Result == nil) {
		return nil, false, errors.New("protocol")
	}
	if answer.Error != nil {
		return nil, false, fmt.Errorf("rpc %d", answer.Error.Code)
	}
	return answer.Result, false, nil
}

func failure(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.New("timeout")
	case ctx.Err() != nil:
		return errors.New("aborted")
	}
	return errors.New("network")
}

func perform(ctx context.Context, one call) (json.RawMessage, error) {
	for attempt := 1; ; attempt++ {
		result, isPassing, err := once(ctx, one)
		if err == nil || !isPassing || attempt == 3 || one.Method == "createQueryRun" || ctx.Err() != nil {
			return result, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func query(ctx context.Context, sql string, size int) (any, error) {
	var created struct{ QueryRequest struct{ QueryRunID string } }
	var looked struct{ QueryRun struct{ State string } }
	var page struct{ Rows []any }
	params := map[string]any{"sql": sql, "resultTTLHours": 1, "maxAgeMinutes": 0, "tags": map[string]string{}, "dataSource": "main", "dataProvider": "main"}
	result, err := perform(ctx, call{"createQueryRun", params})
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(result, &created) != nil || created.QueryRequest.QueryRunID == "" {
		return nil, errors.New("protocol")
	}
	id := created.QueryRequest.QueryRunID
	for looked.QueryRun.State != "QUERY_STATE_SUCCESS" {
		if result, err = perform(ctx, call{"getQueryRun", map[string]any{"queryRunId": id}}); err != nil {
			return nil, err
		}
		looked.QueryRun.State = ""
		if json.Unmarshal(result, &looked) != nil || looked.QueryRun.State == "" {
			return nil, errors.New("protocol")
		}
		switch looked.QueryRun.State {
		case "QUERY_STATE_FAILED":
			return nil, errors.New("failed")
		case "QUERY_STATE_CANCELED":
			return nil, errors.New("canceled")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if size == 0 {
		size = 1000
	}
	rows := []any{}
	for number := 1; ; number++ {
		selector := map[string]any{"number": number, "size": size}
		result, err = perform(ctx, call{"getQueryRunResults", map[string]any{"queryRunId": id, "format": "csv", "page": selector}})
		page.Rows = nil
		if err != nil {
			return nil, err
		}
		if json.Unmarshal(result, &page) != nil {
			return nil, errors.New("protocol")
		}
		if rows = append(rows, page.Rows...); len(page.Rows) < size {
			return rows, nil
		}
	}
}

func ending(work func(context.Context) (any, error)) map[string]any {
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(interrupted, time.Duration(task.TimeoutMs)*time.Millisecond)
	defer cancel()
	result, err := work(ctx)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"result": result}
}

func main() {
	json.NewDecoder(os.Stdin).Decode(&task)
	endings := []any{}
	if task.Query != nil {
		endings = append(endings, ending(func(ctx context.Context) (any, error) { return query(ctx, task.Query.SQL, task.Query.PageSize) }))
	}
	for _, one := range append(task.Calls, task.Sequence...) {
		endings = append(endings, ending(func(ctx context.Context) (any, error) { return perform(ctx, one) }))
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"endings": endings})
}
