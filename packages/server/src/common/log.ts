import pino from "pino";
import type { ProgramSettings } from "../generated/settings.ts";

/** Fields of a log line: ids, names and numbers, never a key, a row or the text of a statement. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Log of the service. The operator reads it; callers never see it. */
export interface Log {
  error(message: string, error: unknown, fields?: LogFields): void;
  /** Logs a state that the operator may want to change, in one line without a stack. */
  warn?(message: string, fields?: LogFields): void;
  /** Logs a normal event, such as the start of the service or the end of a run. */
  info?(message: string, fields?: LogFields): void;
  /** Logs a detail that helps to find the cause of a fault, such as the start of a run. */
  debug?(message: string, fields?: LogFields): void;
}

export interface LogOptions {
  /** @default "info" */
  readonly level?: ProgramSettings["logLevel"];
  /** Called with each line. @default writes to stderr */
  readonly write?: ((line: string) => void) | undefined;
}

/** Matches the API keys that Quern generates, and JWTs. They are redacted in every line. */
const keyForm = /qk_[0-9a-f]{8}_[\w-]+|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Matches control characters that JSON leaves as they are. They are escaped, because a line may be read on a terminal. */
const controls = /[\u007f-\u009f\p{Bidi_Control}]/gu;

function safeLine(line: string): string {
  return line
    .replace(keyForm, "[key]")
    .replace(controls, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Creates a log that writes one JSON object a line. */
export function createLog({ level = "info", write }: LogOptions = {}): Log {
  const destination = write === undefined ? pino.destination({ dest: 2, sync: true }) : { write };
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: safeLine },
  };
  const logger = pino(options, destination);
  return {
    error: (message, error, fields) =>
      logger.error({ ...fields, err: error instanceof Error ? error : new Error(String(error)) }, message),
    warn: (message, fields) => logger.warn(fields, message),
    info: (message, fields) => logger.info(fields, message),
    debug: (message, fields) => logger.debug(fields, message),
  };
}

/** Logs warnings and errors to stderr, and nothing else. */
export const standardErrorLog: Log = createLog({ level: "warn" });
