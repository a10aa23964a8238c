import { isStatementError, StatementError, type StatementFailure } from "@quern/adapter";

/** Error of the engine, as its JSON reports it. */
interface EngineReport {
  readonly type: string;
  readonly message: string;
  /** Offset in bytes in the text that ran. */
  readonly position?: number;
  /** Names that the statement may have meant. */
  readonly candidates?: readonly string[];
}

/** Categories of error types of the engine. Other types are faults of the statement (USER). */
const categories: Readonly<Record<string, StatementFailure["data"]["category"]>> = {
  "Out of Memory": "RESOURCE",
  IO: "DATA_SOURCE",
  INTERNAL: "INTERNAL",
  Fatal: "INTERNAL",
};

/**
 * Converts an error of the engine to a failure that callers can read, with line and column.
 * @param sql text of the caller
 * @param sqlOffset bytes before the caller's text in the text that ran
 */
export function engineFailure(error: unknown, sql: string, sqlOffset = 0): StatementFailure {
  const report = engineReport(error instanceof Error ? error.message : String(error));
  const category = categories[report.type] ?? "USER";
  const at = report.position === undefined ? undefined : positionIn(sql, report.position - sqlOffset);
  return {
    name: errorName(report.type),
    message: at === undefined ? report.message : `${report.message} (line ${at.line}, column ${at.column})`,
    data: {
      category,
      engine: "duckdb",
      ...at,
      ...(report.candidates === undefined ? {} : { candidates: report.candidates }),
      retryable: category !== "USER",
    },
  };
}

/** Returns the name of an error type: OutOfMemoryError for `Out of Memory`, InternalError for `INTERNAL`. */
function errorName(type: string): string {
  if (type === "INTERNAL") return "InternalError";
  return `${type.replaceAll(/(?:^| )([a-z])?/g, (_, first: string | undefined) => first?.toUpperCase() ?? "")}Error`;
}

/** Runs one step on the engine and converts an error of the engine to a `StatementError`. */
export async function onEngine<T>(sql: string, step: () => Promise<T>, sqlOffset = 0): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (isStatementError(error)) throw error;
    throw new StatementError(engineFailure(error, sql, sqlOffset));
  }
}

/** Reads the JSON of an error (`errors_as_json`), which the engine sometimes precedes with text. */
function engineReport(text: string): EngineReport {
  const start = text.indexOf('{"exception_type"');
  if (start < 0) return plainReport(text);
  const report: unknown = JSON.parse(text.slice(start));
  const member = (name: string): string | undefined => {
    const value: unknown = Reflect.get(Object(report), name);
    return typeof value === "string" ? value : undefined;
  };
  const message = member("exception_message") ?? text;
  const position = Number(member("position"));
  return {
    type: member("exception_type") ?? "Engine",
    message: message.replace(suggestions, "").trimEnd(),
    ...(Number.isSafeInteger(position) ? { position } : {}),
    ...candidatesOf(member("candidates"), message),
  };
}

/** Part of a message that names columns. */
const suggestions = /\nCandidate bindings: [\s\S]*$/;

/** Returns the names that the engine suggests. For a qualified column (`f.orig`), only its message has them. */
function candidatesOf(listed: string | undefined, message: string): Pick<EngineReport, "candidates"> {
  const quoted = suggestions.exec(message)?.[0].matchAll(/"((?:[^"]|"")+)"/g) ?? [];
  const names = listed ? listed.split(",") : [...quoted].map(([, name = ""]) => name.replaceAll('""', '"'));
  return names.length === 0 ? {} : { candidates: names };
}

function plainReport(text: string): EngineReport {
  const [, type, message] = /^(.{1,40}?) Error: ([\s\S]*)$/.exec(text) ?? [];
  return { type: type ?? "Engine", message: message ?? text };
}

/**
 * Replaces `paths`, and paths of files below them, with `<path>`. Callers must not see where the service keeps files.
 */
export function hidePaths(text: string, paths: readonly string[]): string {
  const hide = (shown: string, path: string): string => {
    const [start = "", ...rest] = shown.split(path);
    return [start, ...rest.map((after) => `<path>${after.replace(/^[^\s"']+/, "")}`)].join("");
  };
  return paths.reduce(hide, text);
}

/** Converts an offset in bytes to a position in UTF-16 code units, with line and column; the column counts code points. */
function positionIn(sql: string, byteOffset: number): { position: number; line: number; column: number } | undefined {
  const bytes = Buffer.from(sql);
  if (byteOffset < 0 || byteOffset > bytes.length) return undefined;
  const before = bytes.subarray(0, byteOffset).toString();
  const lines = before.split("\n");
  return { position: before.length, line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 };
}
