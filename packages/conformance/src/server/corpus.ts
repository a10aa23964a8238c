/** Types of the corpus format: language-neutral JSON, described in `spec/conformance/README.md`. */

export const profiles = ["json-rpc", "http", "robustness", "openrpc", "schemas", "service"] as const;
export type Profile = (typeof profiles)[number];

/** One file of the corpus. */
export interface Corpus {
  readonly title: string;
  /** Profile that a server must claim for these cases to apply. */
  readonly profile: Profile;
  readonly description?: string;
  /** Preparations that cases share, by name. Each runs at most once for all cases, when a case first needs it. */
  readonly fixtures?: Readonly<Record<string, Fixture>>;
  readonly cases: readonly Case[];
}

export interface Fixture {
  readonly description?: string;
  readonly given?: readonly string[];
  readonly steps: readonly Step[];
}

/**
 * MUST: a standard requires it. SHOULD: a standard recommends it. ROBUST: hostile input must do no harm.
 * PROFILE: the standards leave it open, and Quern decides.
 */
export type Level = "MUST" | "SHOULD" | "ROBUST" | "PROFILE";

export interface Case {
  /** Unique in the whole corpus, e.g. `REQ-001`. */
  readonly id: string;
  readonly level: Level;
  /** Requirement as one sentence. */
  readonly rule: string;
  /** Origin of the rule: a section of a standard, or a JSON pointer into the OpenRPC document. */
  readonly source: string;
  /** Fixtures that run first. The steps can use the variables that they captured. */
  readonly given?: readonly string[];
  /**
   * Repeats the steps for each method or each example of the OpenRPC document. Sets `${method}`, and for examples `${params}` (the one
   * parameter) and `${example}` (its name).
   */
  readonly each?: "method" | "example";
  readonly steps: readonly Step[];
  /** Requires that a call on a new connection is answered after the steps. @default false */
  readonly alive?: boolean;
}

export interface Step {
  readonly send: Request;
  /** Expected answer. One of several alternatives must match. */
  readonly expect: Expectation | readonly Expectation[];
  /** Name -> JSON pointer into the body of the answer. Later steps use the value as `${name}`. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Repeats the request until the value at the pointer is one of these. The expectation must hold each time. */
  readonly until?: Until;
}

export interface Until {
  readonly pointer: string;
  readonly isOneOf: readonly unknown[];
  /** Pause between two requests in milliseconds. @default 50 */
  readonly everyMs?: number;
  /** Time after which the case is inconclusive, in milliseconds. @default 20000 */
  readonly timeoutMs?: number;
}

/** One HTTP request. At most one of `json`, `text`, `base64` and `parts` gives the body; without them the body is empty. */
export interface Request {
  /** HTTP method. @default "POST" */
  readonly verb?: string;
  /** Replaces the path of the endpoint. */
  readonly path?: string;
  /** Headers in addition to `content-type: application/json` and `x-api-key: ${apiKey}`; null removes one of these. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** JSON value, sent as compact JSON. */
  readonly json?: unknown;
  /** Text of the body, for bodies that are not JSON or whose digits matter. */
  readonly text?: string;
  /** Bytes of the body, for bodies that are not UTF-8. */
  readonly base64?: string;
  /** Texts that are concatenated, for bodies too large to write out. */
  readonly parts?: readonly Part[];
  /** Sends the body in chunks of this size, without a content-length. */
  readonly chunkBytes?: number;
  /** Announces the whole body, sends this number of its bytes, then closes the connection. Requires the expectation `{ "body": "none" }`. */
  readonly cutAfterBytes?: number;
  /** Sends this number of requests at once, each with its own `${index}` (from 0). All answers must match the expectation. */
  readonly copies?: number;
  /** Sends all steps with `kept` one after another on one connection. @default a new connection for each step */
  readonly connection?: "kept";
}

export interface Part {
  readonly text: string;
  /** Number of repetitions; `${index}` counts from 0. @default 1 */
  readonly times?: number;
  /** Text between two repetitions. @default "" */
  readonly separator?: string;
}

/** One acceptable answer, with exactly one of `reply`, `replies`, `count` and `body`. */
export interface Expectation {
  /** Accepted HTTP status or statuses. @default 200 */
  readonly status?: number | readonly number[];
  /** Header name -> regular expression that its value must match. Case is ignored. */
  readonly headers?: Readonly<Record<string, string>>;
  /** One JSON-RPC response object. */
  readonly reply?: ReplyExpectation;
  /** Array of exactly these response objects, in any order. */
  readonly replies?: readonly ReplyExpectation[];
  /** Array of this number of response objects, each with its own id. */
  readonly count?: number;
  /** `empty`: no bytes. `json`: any JSON value. `none`: does not wait for an answer. */
  readonly body?: "empty" | "json" | "none";
  /** Ends the case after a matching answer, such as one about a limit of the server: the later steps do not apply. @default false */
  readonly ends?: boolean;
}

/**
 * Expected response object. Without `result` and `error`, both are accepted. The invariants in
 * `spec/conformance/README.md` always apply.
 */
export interface ReplyExpectation {
  /** Id, compared as a JSON value. @default any id that the invariants allow */
  readonly id?: unknown;
  /** Id as its exact JSON text, for numbers that a double cannot represent. */
  readonly idText?: string;
  /**
   * Requires a result, which must match the method's result schema. `document` also requires that it equals the OpenRPC
   * document.
   */
  readonly result?: "valid" | "document";
  /** Requires an error with this code, or one of these codes. */
  readonly error?: number | readonly number[];
  /** Codes that an error must not have. */
  readonly notError?: readonly number[];
  /** JSON pointer into the response object -> required value. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** JSON pointer into the response object -> forbidden value. */
  readonly notValues?: Readonly<Record<string, unknown>>;
  /** JSON pointer into the response object -> required array. */
  readonly items?: Readonly<Record<string, Items>>;
}

/** Array of exactly `count` items. */
export interface Items {
  readonly count: number;
  /** Each item, with the placeholder `${index}`. @default any items */
  readonly item?: unknown;
  /** `${index}` of the first item. @default 0 */
  readonly from?: number;
}

/**
 * Format of `expected-failures.json`: id of a check -> reason that it may fail. A listed case that passes fails the run;
 * a listed property may pass.
 */
export type ExpectedFailures = Readonly<Record<string, string>>;
