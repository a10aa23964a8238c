/** Where the service tells its operator what no caller is told. */
export interface Log {
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
  error(message: string, error: unknown): void;
}

export const standardErrorLog: Log = {
  warn: (message, details) => console.error(`quern: ${message}`, details ?? ""),
  error: (message, error) => console.error(`quern: ${message}`, error),
};
