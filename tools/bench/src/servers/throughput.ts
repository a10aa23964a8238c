import { readdir, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../../../packages/duckdb/test/sources/postgres.ts";
import { startStorage } from "../../../../packages/s3/test/storage.ts";
import { hasVersitygw } from "../../../../packages/s3/test/versitygw.ts";
import { median, perSecond, repeatedly } from "../measure.ts";
import { type Service, startService } from "../service.ts";
import { type CallKind, callKinds, createCallers } from "./calls.ts";
import { type Costs, createCosts } from "./costs.ts";

const SERVERS = [1, 2, 4];
const ROUNDS = 3;
const WARM_UP_MS = 1_500;
const WINDOW_MS = 4_000;
const KINDS: readonly CallKind[] = ["reused", "small", "pages"];

/** Number of servers on one storage, with what was measured of each kind of calls. */
interface Variant {
  readonly name: string;
  readonly servers: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly rates: ReadonlyMap<CallKind, number[]>;
  readonly costs: ReadonlyMap<CallKind, Costs>;
}

/**
 * Measures reused creates, small runs and pages a second of one server with the embedded store, and of one, two and four
 * servers on one PostgreSQL and one bucket. The variants alternate, so that other load affects all of them.
 */
export async function throughput(): Promise<void> {
  if (!hasVersitygw()) return console.log("not run: the machine lacks go, which builds versitygw");
  await using postgres = await startPostgres({ durable: true });
  await using storage = await startStorage();
  const shared = { store: postgres.url, results: await storage.createBucket("bench") };
  console.log(
    `16 callers spread over the servers. Servers, PostgreSQL with durable commits, storage and callers share ${availableParallelism()} processors, so that an added server adds no processor`,
  );
  const variants = [
    variantOf("embedded store", 1, {}, undefined),
    ...SERVERS.map((servers) => variantOf(`servers: ${servers}`, servers, shared, postgres.url)),
  ];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const each of round % 2 === 0 ? variants : variants.toReversed()) await measure(each);
  for (const kind of KINDS) print(kind, variants);
}

function variantOf(
  name: string,
  servers: number,
  settings: Readonly<Record<string, string>>,
  database: string | undefined,
): Variant {
  return {
    name,
    servers,
    settings,
    rates: new Map(KINDS.map((kind) => [kind, []])),
    costs: new Map(KINDS.map((kind) => [kind, createCosts(database)])),
  };
}

async function measure({ servers, settings, rates, costs }: Variant): Promise<void> {
  const first = await startService(settings);
  const others = await Promise.all(Array.from({ length: servers - 1 }, () => startService(settings)));
  try {
    using callers = await createCallers([first, ...others]);
    for (const kind of KINDS) {
      await repeatedly(callers.of[kind], WARM_UP_MS);
      const load = await costs.get(kind)?.measured(first, () => repeatedly(callers.of[kind], WINDOW_MS));
      if (load !== undefined) rates.get(kind)?.push(perSecond(load));
    }
    if (settings.results === undefined) await printResultSizes(first);
  } finally {
    for (const service of [first, ...others]) await service[Symbol.asyncDispose]();
  }
}

/** Prints the size of the result of a small run, and that of the result whose pages are read. */
async function printResultSizes({ dataDir }: Service): Promise<void> {
  const folder = join(dataDir, "results");
  const files = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
  const sizes = files.map(({ size }) => size).toSorted((a, b) => a - b);
  console.log(`result of a small run: ${median(sizes)} bytes; of 100,000 rows of 10 columns: ${sizes.at(-1)} bytes`);
}

function print(kind: CallKind, variants: readonly Variant[]): void {
  const ratesOf = ({ rates }: Variant): readonly number[] => rates.get(kind) ?? [];
  const alone = median(
    variants.filter(({ settings, servers }) => "store" in settings && servers === 1).flatMap(ratesOf),
  );
  console.log(`\n${callKinds[kind]} a second, medians of ${ROUNDS} (least to most), and ratio to 1 server`);
  for (const variant of variants) {
    const rates = ratesOf(variant);
    const range = `${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`;
    console.log(`${variant.name}: ${median(rates).toFixed(0)} (${range}), x ${(median(rates) / alone).toFixed(2)}`);
    for (const line of variant.costs.get(kind)?.lines() ?? []) console.log(`  ${line}`);
  }
}
