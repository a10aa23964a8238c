// Query service of the three basic methods, on the Go standard library. FAULT=1 to 10 plays one fault.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

type object = map[string]any
type failure struct {
	code    int
	message string
	data    any
}

var (
	fault, _ = strconv.Atoi(os.Getenv("FAULT"))
	mutex    sync.Mutex
	runs     = map[string]*run{}
	kinds    = map[string]object{
		"createQueryRun":     {"sql": "", "resultTTLHours": 0, "maxAgeMinutes": 0, "tags": object{}, "dataSource": "", "dataProvider": ""},
		"getQueryRun":        {"queryRunId": ""},
		"getQueryRunResults": {"queryRunId": "", "format": "", "page": object{}},
		"page":               {"number": 1, "size": 0},
	}
)

// or returns the value if it has the type of the default, otherwise the default.
func or[T any](value any, other T) T {
	if own, isOne := value.(T); isOne {
		return own
	}
	return other
}

func invalid(pointer, expected string, received any) *failure {
	return &failure{-32602, "Invalid params", object{"issues": []any{object{"pointer": pointer, "expected": expected, "received": fmt.Sprint(received)}}}}
}

func check(value any, known object, at, required string) (object, *failure) {
	given, isObject := value.(object)
	if !isObject {
		return nil, invalid(at, "an object", value)
	}
	if _, found := given[required]; !found && required != "" {
		return nil, invalid(at+"/"+required, "a string", "nothing")
	}
	for name, found := range given {
		kind, isKnown := known[name]
		if least, isCount := kind.(int); isCount {
			number, isNumber := found.(json.Number)
			count, err := number.Float64()
			if isKnown = isNumber && err == nil && count == math.Trunc(count) && count >= float64(least); isKnown {
				given[name] = count
			}
		} else {
			text, isText := found.(string)
			isKnown = isKnown && fmt.Sprintf("%T", found) == fmt.Sprintf("%T", kind) && !(isText && (text == "" || utf8.RuneCountInString(text) > 262144))
		}
		if !isKnown {
			return nil, invalid(at+"/"+name, "another value", found)
		}
	}
	return given, nil
}

func perform(method string, params any) (any, *failure) {
	mutex.Lock()
	defer mutex.Unlock()
	known, isMethod := kinds[method]
	list, _ := params.([]any)
	if !isMethod || method == "page" {
		return nil, &failure{-32601, "Method not found", nil}
	}
	if len(list) != 1 {
		return nil, invalid("/params", "an array of one object", params)
	}
	required := "queryRunId"
	if method == "createQueryRun" {
		required = "sql"
	}
	given, refusal := check(list[0], known, "/params/0", required)
	if page, found := given["page"]; found && refusal == nil {
		_, refusal = check(page, kinds["page"], "/params/0/page", "")
	}
	if refusal != nil {
		return nil, refusal
	}
	if method == "createQueryRun" {
		return create(given), nil
	}
	one, isThere := runs[given["queryRunId"].(string)]
	if !isThere {
		return nil, &failure{-32099, "No such run", object{"queryRunId": given["queryRunId"]}}
	}
	if method == "getQueryRun" {
		return object{"queryRun": recordOf(one)}, nil
	}
	return results(one, given)
}

func failed(id any, one failure) object {
	told := object{"code": one.code, "message": one.message}
	if one.data != nil {
		told["data"] = one.data
	}
	return object{"jsonrpc": "2.0", "id": id, "error": told}
}

// reply is the response object of a call, nil for a notification.
func reply(value any) object {
	call, _ := value.(object)
	id, hasID := call["id"]
	_, isText := id.(string)
	_, isNumber := id.(json.Number)
	method, isMethod := call["method"].(string)
	params, hasParams := call["params"]
	_, isList := params.([]any)
	_, isNamed := params.(object)
	if id != nil && !isText && !isNumber {
		return failed(nil, failure{-32600, "Invalid Request", nil})
	}
	if call["jsonrpc"] != "2.0" || !isMethod || (hasParams && !isList && !isNamed) {
		return failed(id, failure{-32600, "Invalid Request", nil})
	}
	result, refusal := perform(method, params)
	if !hasID {
		return nil
	}
	if number, err := strconv.Atoi(fmt.Sprint(id)); fault == 3 && err == nil {
		id = number
	}
	answer := object{"jsonrpc": "2.0", "id": id, "result": result}
	if refusal != nil {
		answer = failed(id, *refusal)
	}
	if fault == 1 {
		delete(answer, "jsonrpc")
	}
	return answer
}

func answerTo(body []byte) any {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err := decoder.Decode(&value)
	if _, rest := decoder.Token(); err != nil || rest != io.EOF || !utf8.Valid(body) {
		return failed(nil, failure{-32700, "Parse error", nil})
	}
	calls, isBatch := value.([]any)
	if !isBatch || len(calls) == 0 {
		if one := reply(value); one != nil {
			return one
		}
		return nil
	}
	replies := []object{}
	for _, call := range calls {
		if one := reply(call); one != nil {
			replies = append(replies, one)
		}
	}
	if len(replies) == 0 && fault != 4 {
		return nil
	}
	return replies
}

func serve(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 4_000_000))
	var named struct{ ID any }
	json.Unmarshal(body, &named)
	header, status := response.Header(), http.StatusOK
	var answer any
	refuse := func(code int, text string) { status, answer = code, failed(nil, failure{-32600, text, nil}) }
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Allow-Headers", "content-type, x-api-key")
	header.Set("Access-Control-Allow-Methods", "POST")
	switch {
	case strings.ReplaceAll(request.URL.Path, "//", "/") != "/json-rpc":
		refuse(404, "No such path")
	case request.Method == "OPTIONS":
		response.WriteHeader(204)
		return
	case request.Method != "POST":
		header.Set("Allow", "POST")
		refuse(405, "Use POST")
	case request.Header.Get("x-api-key") != os.Getenv("API_KEY"):
		status, answer = 401, failed(named.ID, failure{-32163, "No such key", nil})
	case !strings.HasPrefix(strings.ToLower(request.Header.Get("content-type")), "application/json"):
		refuse(415, "Send application/json")
	case err != nil:
		refuse(413, "Send less")
	default:
		answer = answerTo(body)
	}
	if answer == nil {
		response.WriteHeader(204)
		return
	}
	if one, isOne := answer.(object); isOne && one["error"] != nil && fault == 6 {
		status = 500
	}
	header.Set("Content-Type", "application/json")
	if fault == 2 {
		header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	response.WriteHeader(status)
	json.NewEncoder(response).Encode(answer)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	http.Serve(listener, http.HandlerFunc(serve))
}
