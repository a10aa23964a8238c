/**
 * The corpus format: language-neutral JSON, described for readers in `spec/conformance/README.md`.
 * These types are the same format for TypeScript.
 */

export const profiles = ["json-rpc", "http", "robustness", "openrpc", "schemas", "service"] as const;
export type Profile = (typeof profiles)[number];

/** One file of the corpus. */
export interface Corpus {
  readonly title: string;
  /** Profile that a server claims for these cases to apply. */
  readonly profile: Profile;
  readonly description?: string;
  /** Preparations that cases share, by name. Each runs at most once in a run of the corpus, when a case first needs it. */
  readonly fixtures?: Readonly<Record<string, Fixture>>;
  readonly cases: readonly Case[];
}

export interface Fixture {
  readonly description?: string;
  readonly given?: readonly string[];
  readonly steps: readonly Step[];
}

/**
 * MUST: a standard demands it. SHOULD: a standard advises it. ROBUST: hostile input must do no harm.
 * PROFILE: standards leave it open, and Quern has chosen.
 */
export type Level = "MUST" | "SHOULD" | "ROBUST" | "PROFILE";

export interface Case {
  /** Unique in the whole corpus, e.g. `REQ-001`. */
  readonly id: string;
  readonly level: Level;
  /** Requirement, in one line. */
  readonly rule: string;
  /** Where it is demanded: a section of a standard, or a JSON pointer into the OpenRPC document. */
  readonly source: string;
  /** Fixtures that run before; what they captured is visible to the steps. */
  readonly given?: readonly string[];
  /** Run the steps once for each method or each example of the document, with `${method}`, and for examples `${params}` (the one parameter) and `${example}` (its name). */
  readonly each?: "method" | "example";
  readonly steps: readonly Step[];
  /** After the steps, an ordinary call on a new connection must be answered. */
  readonly alive?: boolean;
}

export interface Step {
  readonly send: Request;
  /** Expected answer; of several alternatives one must fit. */
  readonly expect: Expectation | readonly Expectation[];
  /** Name -> JSON pointer into the body of the answer. The value is `${name}` for all that follows. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Send again until the value at the pointer is one of these; the expectation must hold each time. */
  readonly until?: Until;
}

export interface Until {
  readonly pointer: string;
  readonly isOneOf: readonly unknown[];
  /** Pause between two sends in milliseconds, 50 if left out. */
  readonly everyMs?: number;
  /** The case fails after so many milliseconds, 20000 if left out. */
  readonly timeoutMs?: number;
}

/** One HTTP request. At most one of `json`, `text`, `base64`, `parts` gives the body; with none the body is empty. */
export interface Request {
  /** POST if left out. */
  readonly verb?: string;
  /** Replaces the path of the endpoint. */
  readonly path?: string;
  /** Beside `content-type: application/json` and `x-api-key: ${apiKey}`; null takes one of these away. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Any JSON value, sent as compact JSON. */
  readonly json?: unknown;
  /** The body as it is, for bodies that are not JSON or whose digits matter. */
  readonly text?: string;
  /** The bytes of the body, for bodies that are not UTF-8. */
  readonly base64?: string;
  /** Texts written one after another, for bodies too large to write down. */
  readonly parts?: readonly Part[];
  /** Send the body chunked, in chunks of so many bytes, without a content-length. */
  readonly chunkBytes?: number;
  /** Announce the whole body, send only so many of its bytes, then close the connection. The expectation is `{ "body": "none" }`. */
  readonly cutAfterBytes?: number;
  /** Send so many requests at once, each with its own `${index}` (from 0). All answers must fit the expectation. */
  readonly copies?: number;
  /** All steps of the case that say `kept` travel one after another on one connection. */
  readonly connection?: "kept";
}

export interface Part {
  readonly text: string;
  /** Number of repetitions; `${index}` counts from 0. @default 1 */
  readonly times?: number;
  /** Stands between two repetitions. */
  readonly separator?: string;
}

/** One acceptable answer. Exactly one of `reply`, `replies`, `count`, `body`. */
export interface Expectation {
  /** The HTTP status, or several that will do; 200 if left out. */
  readonly status?: number | readonly number[];
  /** Header name -> a regular expression that its value must match, letter case ignored. */
  readonly headers?: Readonly<Record<string, string>>;
  /** One JSON-RPC response object. */
  readonly reply?: ReplyExpectation;
  /** An array of exactly these response objects, in any order. */
  readonly replies?: readonly ReplyExpectation[];
  /** An array of so many response objects, one for each id that was sent. */
  readonly count?: number;
  /** `empty`: no bytes. `json`: any JSON value. `none`: no answer is awaited. */
  readonly body?: "empty" | "json" | "none";
}

/** With neither `result` nor `error`, both will do. The invariants in the README hold in any case. */
export interface ReplyExpectation {
  /** The id, compared as a JSON value. Left out: any id that the invariants allow. */
  readonly id?: unknown;
  /** The id as its exact JSON text, for numbers that a double cannot hold. */
  readonly idText?: string;
  /** A result. It is always checked against the method's result schema; `document` also compares it with the OpenRPC document. */
  readonly result?: "valid" | "document";
  /** An error with this code, or one of these. */
  readonly error?: number | readonly number[];
  /** Codes that the error, if it is one, must not have. */
  readonly notError?: readonly number[];
  /** JSON pointer into the response object -> the value that must stand there. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** JSON pointer into the response object -> a value that must not stand there. */
  readonly notValues?: Readonly<Record<string, unknown>>;
}

/** `expected-failures.json`: the id of a case -> why it is allowed to fail. A listed case that passes fails the run. */
export type ExpectedFailures = Readonly<Record<string, string>>;
