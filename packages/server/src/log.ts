/** Where the service tells its operator what no caller is told. */
export interface Log {
  error(message: string, error: unknown): void;
}

export const standardErrorLog: Log = {
  error: (message, error) => console.error(`quern: ${message}`, error),
};
