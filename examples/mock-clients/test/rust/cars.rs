mod quern_mock;

use quern_mock::Namespace;
use serde_json::{json, Value};
use std::time::Duration;

fn post(mock: &Namespace, method: &str, params: Value) -> (u16, Value) {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": [params] });
    let mut response = ureq::post(format!("{}/json-rpc", mock.url))
        .header("x-api-key", &mock.api_key)
        .config()
        .http_status_as_error(false)
        .build()
        .send_json(&request)
        .unwrap();
    let status = response.status().as_u16();
    let reply: Value = response.body_mut().read_json().unwrap_or_default();
    (status, reply["result"].clone())
}

fn create(mock: &Namespace, sql: &str) -> Value {
    post(mock, "createQueryRun", json!({ "sql": sql })).1["queryRun"]["id"].clone()
}

fn state(mock: &Namespace, run: &Value) -> Value {
    post(mock, "getQueryRun", json!({ "queryRunId": run })).1["queryRun"]["state"].clone()
}

#[test]
fn good_rows() {
    let mock = Namespace::new();
    mock.when(
        "select name from cars",
        json!({ "rows": [{ "name": "fiat 128" }] }),
    );
    let run = create(&mock, "SELECT name FROM cars;");
    assert_eq!(state(&mock, &run), "QUERY_STATE_SUCCESS");
    let page = post(&mock, "getQueryRunResults", json!({ "queryRunId": run })).1;
    assert_eq!(page["rows"], json!([["fiat 128"]]));
    assert_eq!(mock.calls(None).len(), 3);
    assert_eq!(
        mock.calls("createQueryRun")[0]["params"],
        json!({ "sql": "SELECT name FROM cars;" })
    );
}

#[test]
fn good_sequence() {
    let mock = Namespace::new();
    let failure = json!({ "fails": { "errorMessage": "no" }, "times": 2 });
    mock.when(
        json!({ "pattern": "select 1" }),
        json!({ "sequence": [failure, { "rows": [{ "n": 1 }] }] }),
    );
    for expected in ["FAILED", "FAILED", "SUCCESS"] {
        assert_eq!(
            state(&mock, &create(&mock, "select 1")),
            format!("QUERY_STATE_{expected}")
        );
    }
    mock.when("select nothing", json!({ "rows": [] }));
}

#[test]
fn good_fault() {
    let mock = Namespace::new();
    mock.fault("listQueryRuns", json!({ "on": 2, "status": 503 }));
    assert_eq!(post(&mock, "listQueryRuns", json!({})).0, 200);
    assert_eq!(post(&mock, "listQueryRuns", json!({})).0, 503);
}

#[test]
fn good_time() {
    let mock = Namespace::with(
        json!({ "clock": { "startAt": "2030-01-01T00:00:00Z", "ticking": false } }),
    );
    mock.when("select 1", json!({ "rows": [], "after": "30s" }));
    let run = create(&mock, "select 1");
    assert_eq!(state(&mock, &run), "QUERY_STATE_RUNNING");
    assert_eq!(
        mock.advance(Duration::from_secs(30)),
        "2030-01-01T00:00:30.000Z"
    );
    assert_eq!(state(&mock, &run), "QUERY_STATE_SUCCESS");
}

#[test]
fn good_reset() {
    let mock = Namespace::new();
    create(&mock, "select 1");
    assert_eq!(
        mock.history()["unexpected"],
        json!(["no stub matches \"select 1\"; none is defined"])
    );
    mock.reset();
}

#[test]
fn good_refusal() {
    let refusal = Namespace::new()
        .admin("planFault", json!({ "method": "*", "statsu": 502 }))
        .unwrap_err();
    assert_eq!(refusal.code, -32602);
}

#[test]
fn bad_statement() {
    let mock = Namespace::new();
    mock.when("select name from cars", json!({ "rows": [] }));
    create(&mock, "select name from trucks");
}

#[test]
fn bad_contract_violation() {
    let mock = Namespace::new();
    mock.when(
        "select 1",
        json!({ "violateContract": { "createQueryRun": { "queryRun": { "state": 7 } } } }),
    );
    create(&mock, "select 1");
    post(&mock, "getQueryRuns", json!({}));
}

#[test]
fn bad_fault() {
    Namespace::new().fault("listQueryRuns", json!({ "status": 503 }));
}

#[test]
fn bad_assertion() {
    let mock = Namespace::new();
    create(&mock, "select 2");
    assert_eq!(mock.calls(None).len(), 2);
}

#[test]
fn bad_method() {
    Namespace::new().fault("getQueryRuns", json!({ "status": 503 }));
}

#[test]
fn bad_stub() {
    Namespace::new().when("select 1", json!({ "row": [] }));
}
