import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { SourceKind } from "@quern/adapter";
import type { CreateUploadResult } from "@quern/protocol/types";
import { idleKind, type TestServer, temporaryDirectory } from "../fixture.ts";

type Caller = Pick<TestServer, "call">;
export type Format = "csv" | "json" | "parquet";

const textColumn = { kind: "string", engineType: "VARCHAR" } as const;

/** Adapter without an engine. Each statement returns the name and the text of each uploaded file. */
export const readingKind: SourceKind = {
  ...idleKind,
  readsUploads: true,
  async begin({ uploads = [] }) {
    const rows = uploads.map(async ({ name, path }) => [name, await readFile(path, "utf8")]);
    const cells = (await Promise.all(rows)).map((row) => row.map((text) => JSON.stringify(text)));
    const columns = [
      { ...textColumn, name: "name" },
      { ...textColumn, name: "text" },
    ];
    return {
      engineQueryId: null,
      progress: () => null,
      result: async () => ({ form: "cells", columns, cells }),
      release: async () => {},
    };
  },
};

/** Sends a file, and returns the id of its upload. */
export async function upload(caller: Caller, format: Format, bytes: string | Uint8Array): Promise<string> {
  const body = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  const created = await caller.call<CreateUploadResult>("createUpload", { format, bytes: body.length });
  const { status } = await put(created.url, body);
  if (status !== 204) throw new Error(`HTTP ${status}`);
  return created.uploadId;
}

export function put(url: string, body: string | Uint8Array | ReadableStream): Promise<Response> {
  // A stream has no declared length.
  const streamed = body instanceof ReadableStream ? { duplex: "half" as const } : {};
  return fetch(url, { method: "PUT", body: body as BodyInit, ...streamed });
}

/** Lists the uploaded files that a server has, whole or in part. */
export async function filesOf({ dataDir }: Pick<TestServer, "dataDir">): Promise<readonly string[]> {
  const folders = [join(dataDir, "uploads"), join(dataDir, "work", "uploads")];
  return (await Promise.all(folders.map((folder) => readdir(folder)))).flat();
}

/** Creates a DuckDB file by a script, and returns its path. */
export async function databaseOf(script: string): Promise<string> {
  const path = join(await temporaryDirectory(), "data.duckdb");
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(script);
  connection.closeSync();
  instance.closeSync();
  return path;
}

/** Returns rows as the engine itself reads them, in the form of the service's JSON. */
export async function rowsOfEngine(sql: string): Promise<readonly unknown[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(sql);
  const rows = reader.getRowsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

/** Writes the rows of a statement to a file with the engine, and returns its path. */
export async function fileOf(sql: string, format: Format, options = ""): Promise<string> {
  const path = join(await temporaryDirectory(), `file.${format}`);
  await rowsOfEngine(`COPY (${sql}) TO '${path}' (FORMAT ${format}${options})`);
  return path;
}
