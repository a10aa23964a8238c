import type { RecordKind, RecordTable, RecordTables } from "@quern/adapter";
import { canonicalJson } from "@quern/query-run/canonical-json";
import { type CanonicalRecord, createDigest, type Digest } from "./digest.ts";
import { isOfLocation } from "./marker.ts";
import type { Comparison, Difference, Progress } from "./report.ts";

type RecordOf<Kind extends RecordKind> = RecordTables[Kind] extends RecordTable<infer T> ? T : never;

/** Identity of a record among those of its kind. The kinds are in the order in which they are written. */
const identities: { readonly [Kind in RecordKind]: (record: RecordOf<Kind>) => string } = {
  tenants: ({ id }) => id,
  keys: ({ id }) => id,
  settings: ({ name }) => name,
  usage: ({ month, tenantId, userId }) => `${month} ${tenantId} ${userId}`,
  usedLinks: ({ id }) => id,
  statements: ({ id }) => id,
  runs: ({ run }) => run.id,
  requests: ({ request }) => request.id,
  idempotencyKeys: ({ apiKeyId, keyHash }) => `${apiKeyId} ${keyHash}`,
};

/** Kinds of records, in the order in which they are written. */
export const recordKinds = Object.keys(identities) as readonly RecordKind[]; // its type has these keys only

/** Most differences of a kind that are reported. */
const maxDifferences = 10;

/** Reads the records of a kind that belong to the service, and not to the location where they are stored. */
async function* readTable<Kind extends RecordKind>(tables: RecordTables, kind: Kind) {
  const table = tables[kind] as unknown as RecordTable<RecordOf<Kind>>; // the same type, which TypeScript cannot infer
  for await (const batch of table.read())
    yield kind === "settings" ? batch.filter((record) => !isOfLocation(identityOf(kind, record))) : batch;
}

function identityOf<Kind extends RecordKind>(kind: Kind, record: RecordOf<Kind>): string {
  return identities[kind](record);
}

/** Returns whether a store has no records but those of the location. */
export async function isEmpty(tables: RecordTables): Promise<boolean> {
  for (const kind of recordKinds) for await (const batch of readTable(tables, kind)) if (batch.length > 0) return false;
  return true;
}

/** Copies the records of a kind. Those that exist stay as they are. */
export async function copyRecords<Kind extends RecordKind>(
  kind: Kind,
  from: RecordTables,
  to: RecordTables,
  progress: Progress,
): Promise<void> {
  const table = to[kind] as unknown as RecordTable<RecordOf<Kind>>; // as in `readTable`
  let count = 0;
  for await (const batch of readTable(from, kind)) {
    await table.write(batch);
    count += batch.length;
    progress(kind, count);
  }
}

/** Compares the records of a kind by their number and a hash. */
export async function compareRecords(
  kind: RecordKind,
  from: RecordTables,
  to: RecordTables,
): Promise<Comparison & { readonly differences: readonly Difference[] }> {
  const [source, target] = [await digestOf(kind, from), await digestOf(kind, to)];
  const isEqual = source.count === target.count && source.hash() === target.hash();
  const differences = isEqual ? [] : await findDifferences(kind, { tables: from, digest: source }, to, target);
  return { kind, source: source.count, target: target.count, hash: target.hash(), isEqual, differences };
}

async function digestOf(kind: RecordKind, tables: RecordTables): Promise<Digest> {
  const digest = createDigest();
  for await (const record of canonicalRecords(kind, tables)) digest.add(record);
  return digest;
}

async function* canonicalRecords(kind: RecordKind, tables: RecordTables): AsyncGenerator<CanonicalRecord> {
  for await (const batch of readTable(tables, kind))
    for (const record of batch) yield { id: identityOf(kind, record), text: canonicalJson(record) };
}

/** Reads both stores again, and compares the records of hashes that differ. */
async function findDifferences(
  kind: RecordKind,
  source: { readonly tables: RecordTables; readonly digest: Digest },
  target: RecordTables,
  digest: Digest,
): Promise<readonly Difference[]> {
  // Each of these hashes has at least one difference.
  const differs = source.digest.differsAt(digest, maxDifferences);
  const expected = new Map<string, string>();
  const differences: Difference[] = [];
  for await (const { id, text } of canonicalRecords(kind, source.tables)) if (differs(id)) expected.set(id, text);
  for await (const { id, text } of canonicalRecords(kind, target)) {
    if (!differs(id)) continue;
    const wanted = expected.get(id);
    if (wanted !== text) differences.push({ kind, id, fault: wanted === undefined ? "extra" : "changed" });
    expected.delete(id);
    if (differences.length === maxDifferences) return differences;
  }
  for (const id of expected.keys()) differences.push({ kind, id, fault: "missing" });
  return differences.slice(0, maxDifferences);
}
