import pino from "pino";

/** What is told beside a message: ids, names and numbers, never a key, a row or the text of a statement. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Where the service tells its operator what no caller is told. */
export interface Log {
  error(message: string, error: unknown, fields?: LogFields): void;
  /** What goes as it should; a log without it is told of errors alone. */
  info?(message: string, fields: LogFields): void;
}

export interface LogOptions {
  readonly level?: "info" | "error" | "silent" | undefined;
  /** Takes each line; stderr where left out. */
  readonly write?: ((line: string) => void) | undefined;
}

/** Keys have a form, so that one which got into a text after all does not get into the log. */
const keyForm = /qk_[0-9a-f]{8}_[\w-]+|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** One JSON object a line. */
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

/** Tells errors alone. */
export const standardErrorLog: Log = createLog({ level: "error" });
