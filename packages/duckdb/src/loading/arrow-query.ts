/// <reference path="./lz4js.d.ts" />
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { type DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { uniqueNames } from "@quern/query-run/columns";
import { CompressionType, Endianness, type Field, setCompressionCodec, Type, tableFromIPC } from "@uwdata/flechette";
import { decompress } from "lz4js";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { SourceError } from "../sources/origin.ts";
import { arrowMessages } from "./arrow-messages.ts";
import { engineType, isCut } from "./arrow-type.ts";
import { ArrowValueError } from "./arrow-values.ts";
import { writeVector } from "./arrow-vectors.ts";
import type { FilesQuery, OriginFile } from "./files.ts";
import { partitionsOf } from "./partitions.ts";

setCompressionCodec(CompressionType.ZSTD, { decode: (bytes) => new Uint8Array(zstdDecompressSync(bytes)), encode });
setCompressionCodec(CompressionType.LZ4_FRAME, { decode: (bytes, size) => decompress(bytes, size), encode });

function encode(): never {
  throw new Error("Files of Arrow are only read.");
}

/** Database for the rows of the files. */
const stage = "quern_arrow_files";

/**
 * Returns the query of the rows of Arrow files, which are copied to a temporary database, a record batch at a time: the
 * engine has no reader of Arrow.
 * @throws {SourceError} with the file, and the column if it has a type or value that the engine lacks
 */
export async function arrowQuery(
  connection: DuckDBConnection,
  files: readonly OriginFile[],
  workDirectory: string,
): Promise<FilesQuery> {
  const [path, unpacked] = [join(workDirectory, "arrow.duckdb"), join(workDirectory, "unpacked.arrow")];
  await connection.run(`ATTACH ${quotedText(path)} AS ${stage}`);
  const detach = async (): Promise<void> => {
    await connection.run(`DETACH ${stage}`);
    for (const file of [path, `${path}.wal`, unpacked]) await rm(file, { force: true });
  };
  try {
    const copies: CopiedFile[] = [];
    for (const [index, file] of files.entries()) copies.push(await copied(connection, file, `file_${index}`, unpacked));
    const types = commonTypes(copies);
    const selects = copies.map(({ file, table, columns }) => {
      const parts = partitionsOf(
        file.shown,
        columns.map(({ name }) => name),
      );
      const selected = [
        ...columns.map(
          ({ name }) => `CAST(${quotedName(name)} AS ${types.get(name.toLowerCase())}) AS ${quotedName(name)}`,
        ),
        ...parts.map(({ name, value, type }) => `CAST(${quotedText(value)} AS ${type}) AS ${quotedName(name)}`),
      ];
      return `SELECT ${selected.join(", ")} FROM ${quotedName(stage, "main", table)}`;
    });
    const cut = new Set(copies.flatMap(({ columns }) => columns.filter((each) => each.isCut).map(({ name }) => name)));
    return {
      query: selects.join(" UNION ALL BY NAME "),
      padded: 0,
      ignored: 0,
      inexact: [],
      cut: [...cut],
      close: detach,
    };
  } catch (error) {
    await detach();
    throw error;
  }
}

interface Column {
  readonly name: string;
  readonly type: ReturnType<typeof engineType>;
  /** True if it has no values, so that another file decides its type. */
  readonly isNull: boolean;
  readonly isCut: boolean;
}

interface CopiedFile {
  readonly file: OriginFile;
  readonly table: string;
  readonly columns: readonly Column[];
}

/** Copies the rows of a file to a table of the temporary database. */
async function copied(
  connection: DuckDBConnection,
  file: OriginFile,
  table: string,
  unpacked: string,
): Promise<CopiedFile> {
  const { path, shown } = file;
  const before: Uint8Array[] = [];
  let columns: readonly Column[] = [];
  let writer: Awaited<ReturnType<typeof createWriter>> | undefined;
  for await (const { kind, bytes } of arrowMessages(path, shown, unpacked)) {
    if (kind === "batch") {
      if (writer === undefined) throw new SourceError(`Arrow file without a schema: ${shown}; write it again`);
      writer.write(decoded([...before, bytes], shown));
      continue;
    }
    before.push(bytes);
    if (kind === "dictionary" || writer !== undefined) continue;
    columns = columnsOf(decoded([bytes], shown), shown);
    writer = await createWriter(connection, table, columns, shown);
  }
  if (writer === undefined) throw new SourceError(`Arrow file without a schema: ${shown}; write it again`);
  writer.close();
  return { file, table, columns };
}

type Table = ReturnType<typeof tableFromIPC>;

function decoded(messages: Uint8Array[], shown: string): Table {
  try {
    return tableFromIPC(messages, { useBigInt: true, useDecimalInt: true, useBigIntTimestamp: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SourceError(`Arrow file that cannot be read: ${shown}: ${reason}; write it again, or as Parquet`, {
      cause,
    });
  }
}

function columnsOf({ schema }: Table, shown: string): readonly Column[] {
  const { fields, endianness } = schema;
  if (endianness === Endianness.Big)
    throw new SourceError(`Arrow file of a big-endian machine: ${shown}; write it as Parquet`);
  if (fields.length === 0) throw new SourceError(`File without columns: ${shown}; remove it, or name another file`);
  const names = uniqueNames(fields.map(({ name }: Field) => name));
  return fields.map((field: Field, index: number) => {
    const name = names[index] ?? "";
    try {
      return { name, type: engineType(field), isNull: field.type.typeId === Type.Null, isCut: isCut(field.type) };
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw new SourceError(
        `Unsupported type: the column ${name} of ${shown} has ${cause.message}; write it with another type, or as text`,
        { cause },
      );
    }
  });
}

/** Creates a table of the temporary database, and returns functions to fill it. */
async function createWriter(connection: DuckDBConnection, table: string, columns: readonly Column[], shown: string) {
  const declared = columns.map(({ name, type }) => `${quotedName(name)} ${type}`);
  await connection.run(`CREATE TABLE ${quotedName(stage, "main", table)} (${declared.join(", ")})`);
  const appender = await connection.createAppender(table, "main", stage);
  const chunk = DuckDBDataChunk.create(columns.map(({ type }) => type));
  const size = duckdb.vector_size();
  return {
    write({ children, numRows }: Table): void {
      for (let start = 0; start < numRows; start += size) {
        const count = Math.min(size, numRows - start);
        const rows = Int32Array.from({ length: count }, (_, index) => start + index);
        chunk.reset();
        for (const [index, { name, type }] of columns.entries())
          try {
            const batch = children[index]?.data[0];
            if (batch !== undefined) writeVector(duckdb.data_chunk_get_vector(chunk.chunk, index), batch, type, rows);
          } catch (cause) {
            if (!(cause instanceof ArrowValueError)) throw cause;
            throw new SourceError(
              `Unsupported value: the column ${name} of ${shown} has ${cause.message}; write it with another type, or as text`,
              { cause },
            );
          }
        chunk.rowCount = count;
        appender.appendDataChunk(chunk);
      }
    },
    close: () => appender.closeSync(),
  };
}

/** Returns the type of each column. @throws {SourceError} if two files have different ones */
function commonTypes(copies: readonly CopiedFile[]): ReadonlyMap<string, string> {
  const found = new Map<string, { readonly column: Column; readonly shown: string }>();
  for (const { file, columns } of copies)
    for (const column of columns) {
      const before = found.get(column.name.toLowerCase());
      if (before === undefined || before.column.isNull)
        found.set(column.name.toLowerCase(), { column, shown: file.shown });
      else if (!column.isNull && String(before.column.type) !== String(column.type))
        throw new SourceError(
          `Column of two types: ${column.name} is ${before.column.type} in ${before.shown}, and ${column.type} in ${file.shown}; write both with one type, or load them as two tables`,
        );
    }
  return new Map([...found].map(([name, { column }]) => [name, String(column.type)]));
}
