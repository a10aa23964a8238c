// `@duckdb/node-api` decodes each text with one decoder, which takes a byte order mark off its start. This module puts one
// in its place that keeps it, for the whole process.
import { createRequire } from "node:module";

// Its types are not imported, because they need those of a browser.
const accessors: object = createRequire(import.meta.url)("@duckdb/node-api/lib/vectors/dataAccessors.js");
Object.assign(accessors, { textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }) });
