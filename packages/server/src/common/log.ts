import pino from "pino";

/** Fields of a log line: ids, names and numbers, never a key, a row or the text of a statement. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Log of the service. The operator reads it; callers never see it. */
export interface Log {
  error(message: string, error: unknown, fields?: LogFields): void;
  /** Logs a normal event, such as the end of a run. A log without this method receives errors only. */
  info?(message: string, fields: LogFields): void;
}

export interface LogOptions {
  /** @default "info" */
  readonly level?: "info" | "error" | "silent" | undefined;
  /** Called with each line. @default writes to stderr */
  readonly write?: ((line: string) => void) | undefined;
}

/** Matches the API keys that Quern generates, and JWTs. They are redacted in every line. */
const keyForm = /qk_[0-9a-f]{8}_[\w-]+|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Creates a log that writes one JSON object a line. */
export function createLog({ level = "info", write }: LogOptions = {}): Log {
  const destination = write === undefined ? pino.destination({ dest: 2, sync: true }) : { write };
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    hooks: { streamWrite: (line) => line.replace(keyForm, "[key]") },
  };
  const logger = pino(options, destination);
  return {
    error: (message, error, fields) =>
      logger.error({ ...fields, err: error instanceof Error ? error : new Error(String(error)) }, message),
    info: (message, fields) => logger.info(fields, message),
  };
}

/** Logs errors to stderr, and nothing else. */
export const standardErrorLog: Log = createLog({ level: "error" });
