import { bareCopy } from "../bare-copy.ts";

/** DuckDB's own `COPY` of a Parquet file to CSV, in a process of its own. */
const [parquet, file = ""] = process.argv.slice(2);
await bareCopy(`SELECT * FROM read_parquet('${parquet}')`, file, "FORMAT csv, HEADER");
