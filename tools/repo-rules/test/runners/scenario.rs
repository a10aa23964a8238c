//! The scenario of `scenario.mjs`, by `quern_mock.rs` and ureq.

mod quern_mock;

use quern_mock::Namespace;
use serde_json::{json, Value};
use std::path::Path;
use std::time::Duration;

fn call(mock: &Namespace, method: &str, params: Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": [params] });
    let mut reply: Value = ureq::post(format!("{}/json-rpc", mock.url))
        .header("x-api-key", &mock.api_key)
        .send_json(&request)
        .unwrap()
        .body_mut()
        .read_json()
        .unwrap();
    reply["result"].take()
}

fn meet(runner: &str) {
    let folder = std::env::var("SCENARIO_FOLDER").unwrap();
    std::fs::write(Path::new(&folder).join(runner), "").unwrap();
    while !Path::new(&folder).join("all").exists() {
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn scenario() {
    let mock = Namespace::with(
        json!({ "clock": { "startAt": "2030-01-01T00:00:00Z", "ticking": false } }),
    );
    let failure = json!({ "fails": { "errorMessage": "out of memory" }, "times": 2 });
    // The order of columns is that of a table.
    let table = json!({ "columns": ["id", "state", "format"], "rows": [["Rust", "open", 1]] });
    mock.when(
        "select * from jobs",
        json!({ "sequence": [failure, { "rows": table }] }),
    );
    mock.when("select slow", json!({ "rows": [], "after": "30s" }));
    meet("Rust");

    let create =
        |sql: &str| call(&mock, "createQueryRun", json!({ "sql": sql }))["queryRun"]["id"].take();
    let state = |run: &Value| {
        call(&mock, "getQueryRun", json!({ "queryRunId": run }))["queryRun"]["state"].take()
    };
    assert_eq!(state(&create("select * from jobs")), "QUERY_STATE_FAILED");
    assert_eq!(state(&create("select * from jobs")), "QUERY_STATE_FAILED");
    let third = create("select * from jobs");
    assert_eq!(state(&third), "QUERY_STATE_SUCCESS");
    let page = call(&mock, "getQueryRunResults", json!({ "queryRunId": third }));
    assert_eq!(page["columnNames"], json!(["id", "state", "format"]));
    assert_eq!(page["rows"], json!([["Rust", "open", 1]]));

    let slow = create("select slow");
    assert_eq!(state(&slow), "QUERY_STATE_RUNNING");
    assert_eq!(
        mock.advance(Duration::from_secs(30)),
        "2030-01-01T00:00:30.000Z"
    );
    assert_eq!(state(&slow), "QUERY_STATE_SUCCESS");

    let calls = mock.calls(None);
    let made: Vec<String> = calls
        .iter()
        .map(|one| {
            format!(
                "{} {}",
                one["method"].as_str().unwrap(),
                one["params"]["sql"].as_str().unwrap_or("")
            )
        })
        .map(|text| text.trim().to_owned())
        .collect();
    let jobs = "createQueryRun select * from jobs";
    let polled = [
        jobs,
        "getQueryRun",
        jobs,
        "getQueryRun",
        jobs,
        "getQueryRun",
        "getQueryRunResults",
    ];
    let slowly = ["createQueryRun select slow", "getQueryRun", "getQueryRun"];
    assert_eq!(made, [&polled[..], &slowly[..]].concat());

    assert_eq!(state(&create("select elsewhere")), "QUERY_STATE_FAILED");
    let history = mock.history();
    let unexpected = history["unexpected"].as_array().unwrap();
    assert_eq!(unexpected.len(), 1);
    assert!(unexpected[0]
        .as_str()
        .unwrap()
        .starts_with("no stub matches \"select elsewhere\""));
    mock.reset();
}
