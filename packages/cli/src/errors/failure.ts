import type { QuernError } from "@quern/client";
import { AuthError, NetworkError, OutputError, StoppedError, UsageError } from "./cli-error.ts";
import { placeOf } from "./error-place.ts";
import { type ExitCode, exitCodes, stopSignals } from "./exit-code.ts";

/** Error in the form that is printed: one line, or one JSON object. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly kind: string;
  readonly message: string;
  /** Advice for the user, printed after the message. */
  readonly hint?: string;
  /** Other members of the client's error. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const keyHint =
  "set QUERN_API_KEY to a key of this service that may do this, or name a file that has one with --api-key-file";

/** Hint of commands that use profiles. */
const loginHint = `${keyHint}, or run \`quern login\``;

const hints: Partial<Record<ExitCode, string>> = {
  [exitCodes.auth]: keyHint,
  [exitCodes.network]: "check the address in --url, QUERN_URL or the profile, or start a service with `quern serve`",
  [exitCodes.timeout]: "allow more time with --timeout-seconds",
  [exitCodes.unexpected]: "set QUERN_DEBUG=1 to print the stack",
};

/** Hint of commands that take the address neither from `--url` nor from QUERN_URL. */
const serverHint = "check the address, or start a service with `quern serve`";

const deniedHint = "change its permissions, or run the command as the user that owns it, such as that of the service";

const outputHint = "free space on its disk, or write to another one";

/** Tests by the name of the error, because the class would load the client for every command. */
function isQuernError(error: unknown): error is QuernError {
  return error instanceof Error && error.name === "QuernError" && "kind" in error;
}

export function failureOf(error: unknown): Failure {
  if (!isQuernError(error)) return withHint(ownFailure(error));
  const { kind, code, errorName, data, method, queryRunId, status, requestId } = error;
  // Removes the client's advice, which is a function call; the CLI advises a command instead.
  const message = error.message.replace(/; call resumeQuery.*$/, "");
  const exitCode = exitCodeOf(error);
  const details = { code, errorName, data, method, queryRunId, status, requestId };
  const candidates = /did you mean/i.test(message) ? undefined : candidatesHint(data);
  const hint =
    fileHint(error) ??
    candidates ??
    unknownHint(error) ??
    certificateHint(error) ??
    (exitCode === exitCodes.network ? runHint(queryRunId) : undefined) ??
    (exitCode === exitCodes.auth ? loginHint : undefined);
  return withHint({ exitCode, kind, message, details, ...(hint !== undefined && { hint }) });
}

function ownFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return { exitCode: exitCodes.usage, kind: "usage", message };
  if (error instanceof AuthError) {
    const failure = { exitCode: exitCodes.auth, kind: "auth", message };
    return error.isOfProfile ? { ...failure, hint: loginHint } : failure;
  }
  if (error instanceof NetworkError) return { exitCode: exitCodes.network, kind: "network", message, hint: serverHint };
  if (error instanceof StoppedError) {
    const { by, queryRunId } = error;
    const details = { queryRunId };
    if (by === "timeout") return { exitCode: exitCodes.timeout, kind: by, message, details };
    return { exitCode: stopSignals[by], kind: "interrupted", message, details };
  }
  if (isDenied(error)) return { exitCode: exitCodes.usage, kind: "usage", message, hint: deniedHint };
  if (error instanceof OutputError)
    return { exitCode: exitCodes.unexpected, kind: "unexpected", message, hint: outputHint };
  return { exitCode: exitCodes.unexpected, kind: "unexpected", message };
}

/** Returns whether the operating system has denied access to a file. */
function isDenied(error: unknown): boolean {
  return error instanceof Error && "path" in error && "code" in error && error.code === "EACCES";
}

function withHint(failure: Failure): Failure {
  const hint = failure.hint ?? hints[failure.exitCode];
  return hint === undefined ? failure : { ...failure, hint };
}

/** Returns the engine's suggestions as a hint. Errors of `describeQuery` nest them in `errorData`. */
function candidatesHint(data: unknown): string | undefined {
  const { candidates, errorData } = Object(data) as { readonly candidates?: unknown; readonly errorData?: unknown };
  if (Array.isArray(candidates) && candidates.length > 0) return `did you mean ${candidates.join(", ")}?`;
  return errorData == null ? undefined : candidatesHint(errorData);
}

const fileEngineErrors = /file system|\bfiles?\b|disabled by configuration|read_\w+|table function/i;

/** Returns how to read a file of this machine, which the engine of the service cannot. */
function fileHint(error: QuernError): string | undefined {
  const { sql = "" } = placeOf(error) ?? {};
  const [, path] = /(?:\b(?:from|join)\s+|\bread_\w+\s*\(\s*|,\s*)'([^'\s]+\.\w+)'/i.exec(sql) ?? [];
  if (path === undefined || path.includes("://") || !fileEngineErrors.test(error.message)) return undefined;
  const name = (/([^/\\.]+)\.[^/\\]*$/.exec(path)?.[1] ?? "").replace(/\W/g, "_");
  return `to read a file of this machine, pass --with ${name}=${path}, and write ${name} in the statement`;
}

/** Returns a hint with the unknown data source or run id, because the service's message does not contain it. */
function unknownHint({ errorName, data, queryRunId }: QuernError): string | undefined {
  const { dataSource } = Object(data) as { readonly dataSource?: unknown };
  if (errorName === "DataSourceNotFound" && dataSource) return `check the name of the data source: ${dataSource}`;
  if (errorName !== "QueryRunNotFound" || queryRunId === undefined) return undefined;
  return `check the id ${queryRunId}; \`quern runs list\` prints the ids`;
}

/** Returns what to do if Node does not trust the certificate of the service, by the code of the error. */
function certificateHint({ cause }: QuernError): string | undefined {
  const code = String(Object(cause).code);
  const isUntrusted = /SELF_SIGNED_CERT|^UNABLE_TO_(VERIFY|GET_ISSUER)/.test(code);
  return isUntrusted
    ? "name the file with the certificate of its authority in NODE_EXTRA_CA_CERTS, or as ca_file in a profile"
    : undefined;
}

/** Returns the command that continues after the connection is lost, because the run may go on. */
function runHint(queryRunId: string | undefined): string | undefined {
  if (queryRunId === undefined) return undefined;
  return `\`quern result ${queryRunId}\` prints the result of the run once the service answers`;
}

const exitCodesByName: Readonly<Record<string, ExitCode>> = {
  AuthorizationError: exitCodes.auth,
  InvalidParams: exitCodes.usage,
};

function exitCodeOf({ kind, errorName = "", status }: QuernError): ExitCode {
  if (status === 401 || status === 403) return exitCodes.auth;
  switch (kind) {
    case "failed":
    case "canceled":
    case "timeout":
    case "network":
      return exitCodes[kind];
    case "http":
      return exitCodes.network;
    case "aborted":
      return exitCodes.interrupted;
    case "rpc":
      return exitCodesByName[errorName] ?? exitCodes.declared;
    case "undeclared":
    case "protocol":
      return exitCodes.unexpected;
  }
}

/** Formats a failure as `quern: <what is wrong>; <what to do>`, without a line end. */
export function failureLine({ message, hint }: Failure): string {
  const text = message.replace(/\s*\n\s*/g, " ").trim();
  return hint === undefined ? `quern: ${text}` : `quern: ${text.replace(/[.!]$/, "")}; ${hint}`;
}

/** Formats a failure as one JSON object on one line, without a line end. */
export function failureJson({ exitCode, kind, message, hint, details }: Failure): string {
  return JSON.stringify({ kind, exitCode, message, hint, ...details });
}
