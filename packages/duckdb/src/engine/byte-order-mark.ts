// `@duckdb/node-api` decodes each text with one decoder, which takes a byte order mark off its start. This module puts one
// in its place that keeps it, for the whole process.
import accessors from "@duckdb/node-api/lib/vectors/dataAccessors.js";

declare global {
  /** The types of the library need this one, which only those of a browser have. */
  interface TextDecoder {
    readonly encoding: string;
  }
}

Object.assign(accessors, { textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }) });
