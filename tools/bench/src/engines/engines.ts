import { postgresSource } from "./postgres-source.ts";
import { trinoSource } from "./trino-source.ts";

/** Measures data sources on other engines: PostgreSQL beside `psql \copy`, and Trino beside its own clients. */
export async function engines(): Promise<void> {
  await postgresSource();
  await trinoSource();
}
