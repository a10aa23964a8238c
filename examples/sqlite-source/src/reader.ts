import { type ChildProcess, fork } from "node:child_process";
import { EngineLostError, StatementError } from "@quern/adapter";
import type { ColumnDescription } from "./columns.ts";

export interface TableDescription {
  readonly name: string;
  readonly columns: readonly (ColumnDescription & { readonly nullable: boolean })[];
}

/** Process that reads one statement of an SQLite file. */
export interface ReaderProcess {
  /** Prepares a statement, and returns its columns. @throws {StatementError} if it is invalid or writes */
  prepare(sql: string, parameters: unknown): Promise<readonly ColumnDescription[]>;
  /** Returns the next rows; none after the last one. */
  rows(): Promise<readonly (readonly unknown[])[]>;
  /** Returns the columns of the statement. Those without a declared type have one after the first row. */
  columns(): Promise<readonly ColumnDescription[]>;
  tables(): Promise<readonly TableDescription[]>;
  /** Kills the process: SQLite cannot be interrupted from JavaScript. @param reason error of the call in progress */
  end(reason?: unknown): void;
  readonly ended: Promise<void>;
}

export interface Reply {
  readonly value?: unknown;
  /** Message of SQLite, and true if the file and not the statement is at fault. */
  readonly failure?: { readonly message: string; readonly isOfFile: boolean };
}

export function startReader(path: string): ReaderProcess {
  const child: ChildProcess = fork(new URL("./reader-process.ts", import.meta.url), [path], {
    serialization: "advanced", // keeps large integers and bytes
    env: {},
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  let reason: unknown;
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });

  async function call<T>(method: string, ...values: readonly unknown[]): Promise<T> {
    const lost = ended.then(() => Promise.reject(reason ?? new EngineLostError("the process of SQLite ended")));
    const replied = new Promise<Reply>((resolve) => child.once("message", (reply) => resolve(reply as Reply)));
    if (child.connected) child.send([method, ...values]);
    const { value, failure } = await Promise.race([replied, lost]);
    if (failure === undefined) return value as T; // sent by `reader-process.ts`
    const category = failure.isOfFile ? "DATA_SOURCE" : "USER";
    throw new StatementError({
      name: failure.isOfFile ? "InvalidFile" : "SqliteError",
      message: failure.message,
      data: { category, engine: "sqlite", retryable: false },
    });
  }

  return {
    prepare: (sql, parameters) => call("prepare", sql, parameters),
    rows: () => call("rows"),
    columns: () => call("columns"),
    tables: () => call("tables"),
    end(why = new EngineLostError("the query was released")) {
      reason ??= why;
      child.kill("SIGKILL");
    },
    ended,
  };
}
