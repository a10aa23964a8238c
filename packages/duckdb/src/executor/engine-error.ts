import { StatementError, type StatementFailure } from "@quern/adapter";

interface EngineReport {
  readonly type: string;
  readonly message: string;
  readonly position?: number;
  readonly candidates?: readonly string[];
}

/** Which of the engine's error types are whose failure; what is not listed is the statement's. */
const categories: Readonly<Record<string, StatementFailure["data"]["category"]>> = {
  "Out of Memory": "RESOURCE",
  IO: "DATA_SOURCE",
  INTERNAL: "INTERNAL",
  Fatal: "INTERNAL",
};

/** How the engine's errors read to a caller: a name, a text with line and column, and the same as data. */
export function engineFailure(error: unknown, sql: string, sqlOffset = 0): StatementFailure {
  const report = engineReport(error instanceof Error ? error.message : String(error));
  const category = categories[report.type] ?? "USER";
  const place = report.position === undefined ? undefined : placeIn(sql, report.position - sqlOffset);
  return {
    name: errorName(report.type),
    message: place === undefined ? report.message : `${report.message} (line ${place.line}, column ${place.column})`,
    data: {
      category,
      engine: "duckdb",
      ...place,
      ...(report.candidates === undefined ? {} : { candidates: report.candidates }),
      retryable: category !== "USER",
    },
  };
}

/** `Out of Memory` is an OutOfMemoryError, and `INTERNAL` an InternalError. */
function errorName(type: string): string {
  if (type === "INTERNAL") return "InternalError";
  return `${type.replaceAll(/(?:^| )([a-z])?/g, (_, first: string | undefined) => first?.toUpperCase() ?? "")}Error`;
}

/** Runs one step on the engine and translates what it throws. */
export async function onEngine<T>(sql: string, step: () => Promise<T>, sqlOffset = 0): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof StatementError) throw error;
    throw new StatementError(engineFailure(error, sql, sqlOffset));
  }
}

/** The engine reports as JSON (`errors_as_json`), in places behind some words of its own. */
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
  const candidates = member("candidates");
  return {
    type: member("exception_type") ?? "Engine",
    message: message.replace(/\nCandidate bindings: [\s\S]*$/, ""),
    ...(Number.isSafeInteger(position) ? { position } : {}),
    ...(candidates === undefined || candidates === "" ? {} : { candidates: candidates.split(",") }),
  };
}

function plainReport(text: string): EngineReport {
  const [, type, message] = /^(.{1,40}?) Error: ([\s\S]*)$/.exec(text) ?? [];
  return { type: type ?? "Engine", message: message ?? text };
}

/** Replaces `paths`, and the paths of files below them, by `<path>`: callers must not learn where the service keeps files. */
export function hidePaths(text: string, paths: readonly string[]): string {
  const hide = (shown: string, path: string): string => {
    const [start = "", ...rest] = shown.split(path);
    return [start, ...rest.map((after) => `<path>${after.replace(/^[^\s"']+/, "")}`)].join("");
  };
  return paths.reduce(hide, text);
}

/** The engine counts bytes; people count lines and characters. */
function placeIn(sql: string, byteOffset: number): { position: number; line: number; column: number } | undefined {
  const bytes = Buffer.from(sql);
  if (byteOffset < 0 || byteOffset > bytes.length) return undefined;
  const before = [...bytes.subarray(0, byteOffset).toString()];
  const lines = before.join("").split("\n");
  return { position: before.length, line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 };
}
