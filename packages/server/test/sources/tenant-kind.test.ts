import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { Source, SourceAdapter, SourceConfiguration, Statement } from "@quern/adapter";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAdapterKind } from "../../src/sources/adapter-kind.ts";
import { checkTenants, forTenants, sourceOf } from "../../src/sources/tenant-kind.ts";
import { idleKind, startServer } from "../fixture.ts";

const source: Source = {
  name: "live",
  provider: "quern",
  kind: "own",
  path: null,
  lowerCaseColumns: false,
  runAs: "user",
};
const at = (address: string, change: Partial<Source> = {}): Source => ({ ...source, address, ...change });
const sentence =
  "Invalid data source live: users with the same id in two tenants would have one login on its engine; write {tenant} " +
  "beside {user}, such as {tenant}.{user}, or name the only tenant with --tenant, or as tenant in the setting sources.";

describe("a source whose statements run as the user", () => {
  it.each<[string, Pick<SourceConfiguration, "password">]>([
    ["own://host/data", {}],
    ["own://{user}@host", {}],
    ["own://{tenant}@host", {}],
    ["own://{tenant}{user}@host", {}],
    ["own://{user}@host/{tenant}", {}],
    ["own://{user}@{tenant}.{user}.host", {}],
    ["own://{user}.{user}@host?role={tenant}.{tenant}", {}],
    ["own://host?role={tenant}&user={user}", {}],
    ["own://{tenant}_{user}@host", { password: { file: "/secrets/{user}" } }],
    ["own://{tenant}_{user}@host", { password: { file: "/secrets/{tenant}{user}" } }],
    ["own://{tenant}%C3%BC{user}@host", {}],
  ])("is refused with the address %s and %j", async (address, change) => {
    expect(() => checkTenants(at(address, change))).toThrow(sentence);
    const sources = [{ name: "live", provider: "quern", kind: "own", address, ...change, runAs: "user" } as const];
    await expect(startServer({ sources, sourceKinds: { own: idleKind } })).rejects.toThrow(sentence);
  });

  it.each<[string, Partial<Source>]>([
    ["own://{tenant}_{user}@host", {}],
    ["own://quern-{user}%40{tenant}@host", {}],
    ["own://host?user={tenant}.{user}", { password: { variable: "PASSWORD" } }],
    ["own://{tenant}_{user}@host", { password: { file: "/secrets/{tenant}/{user}" } }],
    ["own://{user}@host", { tenant: "acme", password: { file: "/secrets/{user}" } }],
    ["own://{user}@host", { runAs: "fixed" }],
  ])("is admitted with the address %s and %j", (address, change) => {
    expect(() => checkTenants(at(address, change))).not.toThrow();
  });

  it("gives two callers never the same login, whatever their ids are", () => {
    const signs = ["a", "b", "_", ".", "-", "@"];
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const id = () => Array.from({ length: 1 + random(4) }, () => signs[random(signs.length)]).join("");
    const forms = [
      "{tenant}_{user}",
      "{user}%40{tenant}",
      "q-{tenant}.-{user}-",
      "{user}__{tenant}",
      "{tenant}._{user}",
    ];
    for (const form of forms) {
      const callers = new Map<string, string>();
      for (let count = 0; count < 5_000; count++) {
        const caller = { tenantId: id(), userId: id() };
        let login: string;
        try {
          const { address = "" } = sourceOf(at(`own://${form}@host`), caller);
          login = address.replaceAll("{user}", encodeURIComponent(caller.userId));
        } catch {
          continue;
        }
        const known = callers.get(login);
        expect(known ?? JSON.stringify(caller), login).toBe(JSON.stringify(caller));
        callers.set(login, JSON.stringify(caller));
      }
      expect(callers.size, form).toBeGreaterThan(300);
    }
  });

  it.each([
    ["a_b", "ann", "the id of the tenant has _, which separates {tenant} and {user} in the source."],
    ["..", "ann", "the id of the tenant must have up to 63 ASCII letters"],
    ["a/b", "ann", "the id of the tenant must have up to 63 ASCII letters"],
    ["{user}", "ann", "the id of the tenant must have up to 63 ASCII letters"],
  ])("refuses the tenant %s", async (tenantId, userId, reason) => {
    const live = at("own://{tenant}_{user}@host", { password: { file: "/secrets/{tenant}/{user}" } });
    const statement = { source: live, tenantId, userId } as Statement;
    const failure = { name: "AccessDenied", data: { category: "USER", retryable: false } };
    const begun = forTenants(idleKind).begin(statement, new AbortController().signal);
    await expect(begun).rejects.toMatchObject({ failure, message: expect.stringContaining(reason) });
  });
});

/** Returns an address on which a stand-in for an engine keeps the user of each connection, and answers no statement. */
async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

it.each([
  ["postgres", "{tenant}.{user}@", "/shop", "1/2/ann"],
  ["clickhouse", "{tenant}.{user}@", "/shop", "q_1"],
  ["trino", "service@", "/hive?sessionUser={tenant}.{user}", "q_1"],
])("%s gets users of two tenants with the same id as two users, also to cancel", async (kind, user, path, queryId) => {
  const logins: string[] = [];
  const server =
    kind === "postgres"
      ? createServer((socket) => {
          socket.on("error", () => {});
          socket.once("data", (startup) => {
            const words = startup.subarray(8).toString().split("\0");
            logins.push(words[words.indexOf("user") + 1] ?? "");
            socket.destroy();
          });
        })
      : createHttpServer(({ headers, url }, response) => {
          const [login = ""] = Buffer.from(headers.authorization?.slice(6) ?? "", "base64")
            .toString()
            .split(":");
          if (url !== "/ping") logins.push(headers["x-trino-user"]?.toString() ?? login);
          response.writeHead(url === "/ping" ? 200 : 400).end(url === "/ping" ? "Ok.\n" : "");
        });
  const address = `${kind}://${user}${await listen(server)}${path}`;
  const adapter = createAdapterKind(
    kind,
    `@quern/${kind}`,
    { secret: async () => "secret", workDirectory: "/nowhere" },
    () => import(`../../../${kind}/src/index.ts`) as Promise<SourceAdapter>, // each one is an adapter
  );
  const shared = at(address, { kind });
  await adapter.check(shared);
  const data = await adapter.hold(shared);
  const limits = { timeoutSeconds: 5, maxResultBytes: 1e6, maxResultRows: 10 };
  const query = { sql: "SELECT 1", parameters: null, source: shared, data, userId: "ann" };
  const run = { runId: "run_1", attempt: 1, traceparent: undefined, limits };
  const { signal } = new AbortController();
  for (const tenantId of ["acme", "other"]) {
    const owner = { tenantId, userId: "ann" };
    const calls = [
      adapter.begin({ ...query, ...run, ...owner }, signal).then(async (execution) => {
        await execution.result().finally(() => execution.release());
      }),
      adapter.describe({ ...query, ...owner }, signal),
      adapter.tables?.({ ...query, ...owner }, signal),
      adapter.cancel(shared, queryId, owner),
    ];
    await Promise.allSettled(calls);
    expect(new Set(logins.splice(0))).toEqual(new Set([`${tenantId}.ann`]));
  }
  await adapter.close();
});

it("a source of one tenant is not found by others, and executes none of their runs", async () => {
  const sources = [
    { name: "shared", provider: "quern" },
    { name: "live", provider: "quern", kind: "own", address: "own://host", tenant: "acme" },
  ];
  const begun: string[] = [];
  const own = {
    ...idleKind,
    tables: async () => [{ catalog: "c", schema: "s", name: "t", columns: [] }],
    async begin({ tenantId }: Statement): Promise<never> {
      begun.push(tenantId);
      throw new Error("it has no engine");
    },
  };
  await using server = await startServer({ sources, sourceKinds: { own } });
  const notFound = { data: { dataSource: "live" } };
  await expect(server.create({ sql: "select 1", dataSource: "live" })).rejects.toMatchObject(notFound);
  await expect(server.call("listTables", { dataSource: "live" })).rejects.toMatchObject(notFound);
  expect(JSON.stringify(await server.call("listTables", {}))).not.toContain('"live"');
  const statement = { source: at("own://host", { tenant: "acme" }), tenantId: "other", userId: "ann" } as Statement;
  const refused = forTenants(own).begin(statement, new AbortController().signal);
  await expect(refused).rejects.toThrow('tenant "other" cannot query the data source live: it is for another tenant.');
  expect(begun).toEqual([]);
  await expect(forTenants(own).begin({ ...statement, tenantId: "acme" }, new AbortController().signal)).rejects.toThrow(
    "no engine",
  );
});
