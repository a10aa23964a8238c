import type { RunRecord } from "@quern/query-run/record";
import type { Address } from "../storage/address.ts";

type RunAndAttempt = Pick<RunRecord, "id" | "attempt">;

/** Returns the name of a result, which is unique for each run and attempt. */
export function resultName({ id, attempt }: RunAndAttempt): string {
  return `${id}.${attempt}`;
}

/** Returns the run and attempt of a result's name; undefined for another text. */
export function runOfName(name: string): RunAndAttempt | undefined {
  const { id, attempt } = /^(?<id>[^./]+)\.(?<attempt>\d+)$/.exec(name)?.groups ?? {};
  return id === undefined ? undefined : { id, attempt: Number(attempt) };
}

/** Start of the keys of all results. */
export function resultPrefix({ prefix }: Address): string {
  return `${prefix}results/`;
}

const ending = ".parquet";

/** Returns the key of a result in its bucket. */
export function keyOfResult(address: Address, name: string): string {
  return `${resultPrefix(address)}${name}${ending}`;
}

/** Returns the name of the result with a key; undefined for the key of something else. */
export function nameOfKey(address: Address, key: string): string | undefined {
  const prefix = resultPrefix(address);
  return key.startsWith(prefix) && key.endsWith(ending) ? key.slice(prefix.length, -ending.length) : undefined;
}
