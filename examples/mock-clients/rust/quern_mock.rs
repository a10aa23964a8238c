//! Gives each Rust test an isolated Quern mock. Copy this file to `tests/quern_mock/mod.rs`; it needs Rust 1.80, the
//! dev-dependencies `serde_json = "1"` and `ureq = { version = "3", default-features = false, features = ["json"] }`, and a mock
//! server. `QUERN_MOCK_URL` is the base URL of a running one. Otherwise this module starts one for each test binary with the command
//! of `QUERN_MOCK`, by default `npx --no quern mock`.
//!
//! ```no_run
//! mod quern_mock;
//!
//! #[test]
//! fn lists_cars() {
//!     let mock = quern_mock::Namespace::new();
//!     mock.when("select name from cars", json!({ "rows": [{ "name": "fiat 128" }] }));
//!     assert_eq!(my_code(&mock.url, &mock.api_key), ["fiat 128"]);
//! }
//! ```
#![allow(dead_code)] // Each test uses only a part.

use serde_json::{json, Value};
use std::fmt;
use std::io::{BufRead, BufReader};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

/// Error of the administration API, with the code and data of `spec/mock-admin.json`.
#[derive(Debug)]
pub struct AdminError {
    pub code: i64,
    pub message: String,
    pub data: Value,
}

impl fmt::Display for AdminError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)?;
        match self.data["reason"].as_str() {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for AdminError {}

/// Isolated mock of one test: other tests do not see its stubs, runs and calls.
///
/// Its drop asserts that the test met no problem, and ends the namespace: it panics for a statement without a stub, an invalid call, and a
/// fault that met no call, and warns of stubs that matched no statement.
pub struct Namespace {
    /// Base URL for the client under test.
    pub url: String,
    /// Key for the header `x-api-key`.
    pub api_key: String,
}

impl Namespace {
    /// Creates a strict namespace.
    pub fn new() -> Self {
        Self::with(json!({}))
    }

    /// Creates a namespace with options of `createNamespace`, such as `json!({ "clock": { "auto": true } })`; it is strict by default.
    #[track_caller]
    pub fn with(options: Value) -> Self {
        let url = MOCK_URL.clone();
        let made = must(
            "createNamespace",
            call(
                &url,
                "createNamespace",
                merged(json!({ "strict": true }), options),
            ),
        );
        Self {
            url,
            api_key: text(&made["apiKey"]),
        }
    }

    /// Stubs the statements that match, and returns the id of the stub. `matching` is SQL, or an object with `sql`, `pattern`, `tags`,
    /// `parameters` or `dataSource`. The outcome has `rows`, `fails` or `sequence`, and `after`, `afterPolls`, `times` or `scenario`.
    #[track_caller]
    pub fn when(&self, matching: impl Into<Value>, outcome: Value) -> String {
        let params = merged(json!({ "match": matching.into() }), outcome);
        text(&must("stubStatement", self.admin("stubStatement", params))["stubId"])
    }

    /// Plans a fault of a method's next call: `on`, `times`, `status`, `body`, `connection`, `error` and others of `planFault`.
    #[track_caller]
    pub fn fault(&self, method: &str, fault: Value) {
        must(
            "planFault",
            self.admin("planFault", merged(json!({ "method": method }), fault)),
        );
    }

    /// Moves the clock forward, and returns its new time as ISO 8601.
    #[track_caller]
    pub fn advance(&self, by: Duration) -> String {
        text(
            &must(
                "advanceClock",
                self.admin("advanceClock", json!({ "by": by.as_secs_f64() * 1000.0 })),
            )["now"],
        )
    }

    /// Returns the calls of a method, the oldest first, each with `method`, `params`, `at`, and `result` or `error`; those of all methods
    /// for `None`.
    #[track_caller]
    pub fn calls<'a>(&self, method: impl Into<Option<&'a str>>) -> Vec<Value> {
        let filter = method
            .into()
            .map_or(json!({}), |name| json!({ "method": name }));
        items(&must("getHistory", self.admin("getHistory", filter))["calls"])
    }

    /// Returns `calls`, `unexpected`, `unusedFaults`, `unusedStubs` and `contractViolations`.
    #[track_caller]
    pub fn history(&self) -> Value {
        must("getHistory", self.admin("getHistory", json!({})))
    }

    /// Forgets stubs, faults, runs and calls.
    #[track_caller]
    pub fn reset(&self) {
        must("resetNamespace", self.admin("resetNamespace", json!({})));
    }

    /// Calls a method of `spec/mock-admin.json` for this namespace.
    pub fn admin(&self, method: &str, params: Value) -> Result<Value, AdminError> {
        call(
            &self.url,
            method,
            merged(params, json!({ "apiKey": self.api_key })),
        )
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let finished = self
            .admin("getHistory", json!({ "limit": 0 }))
            .and_then(|history| {
                self.admin("disposeNamespace", json!({}))?;
                Ok(history)
            });
        let problems = match finished {
            Ok(history) => {
                for stub in items(&history["unusedStubs"]) {
                    eprintln!(
                        "unused stub: {}; remove it, or correct its matcher",
                        text(&stub)
                    );
                }
                let mut problems: Vec<String> = ["unexpected", "unusedFaults"]
                    .iter()
                    .flat_map(|list| items(&history[list]))
                    .map(|problem| text(&problem))
                    .collect();
                if !problems.is_empty() {
                    let answers = items(&history["contractViolations"]);
                    problems.extend(
                        answers
                            .iter()
                            .map(|answer| format!("contract violation in the answer to {}", text(answer))),
                    );
                }
                problems
            }
            Err(error) => vec![error.to_string()],
        };
        if problems.is_empty() {
            return;
        }
        let message = format!(
            "the mock server reports unexpected calls or unused faults:\n  {}",
            problems.join("\n  ")
        );
        // A panic during a panic aborts the process.
        if std::thread::panicking() {
            eprintln!("{message}");
        } else {
            panic!("{message}");
        }
    }
}

/// Standard input of the mock, which ends when this process closes it.
static MOCK_INPUT: Mutex<Option<ChildStdin>> = Mutex::new(None);

static MOCK_URL: LazyLock<String> = LazyLock::new(|| {
    let variable = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
    if let Some(url) = variable("QUERN_MOCK_URL") {
        return url.trim_end_matches('/').to_owned();
    }
    let command = variable("QUERN_MOCK").unwrap_or_else(|| "npx --no quern mock".to_owned());
    let mut words = command.split_whitespace();
    let remedy = "install @quern/cli and @quern/mock-server, or set QUERN_MOCK to a command, or QUERN_MOCK_URL to a running mock";
    // Windows has a script named npx, which it finds with its extension only.
    let program = match words.next().unwrap_or("npx") {
        "npx" if cfg!(windows) => "npx.cmd",
        program => program,
    };
    let mut process = Command::new(program)
        .args(words)
        .args(["--port", "0", "--json", "--parent", "stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}; {remedy}"));
    *MOCK_INPUT.lock().unwrap() = process.stdin.take();
    let mut line = String::new();
    let output = process.stdout.take().expect("the output is a pipe");
    BufReader::new(output)
        .read_line(&mut line)
        .expect("the output of the mock is text");
    let address: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
        panic!(
            "{command:?} exited before it listened: {:?}; {remedy}",
            process.wait()
        )
    });
    text(&address["url"])
});

fn call(url: &str, method: &str, params: Value) -> Result<Value, AdminError> {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": [params] });
    let failed = |error: ureq::Error| AdminError {
        code: 0,
        message: format!("{method} failed: {error}"),
        data: Value::Null,
    };
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(30)))
        .build()
        .into();
    let mut response = agent
        .post(format!("{url}/admin/json-rpc"))
        .send_json(&request)
        .map_err(failed)?;
    let mut reply: Value = response.body_mut().read_json().map_err(failed)?;
    match reply.get("error") {
        None => Ok(reply["result"].take()),
        Some(error) => Err(AdminError {
            code: error["code"].as_i64().unwrap_or_default(),
            message: text(&error["message"]),
            data: error["data"].clone(),
        }),
    }
}

#[track_caller]
fn must(method: &str, outcome: Result<Value, AdminError>) -> Value {
    outcome.unwrap_or_else(|error| panic!("{method}: {error}"))
}

fn merged(mut object: Value, more: Value) -> Value {
    if let (Some(members), Value::Object(others)) = (object.as_object_mut(), more) {
        members.extend(others);
    }
    object
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn items(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}
