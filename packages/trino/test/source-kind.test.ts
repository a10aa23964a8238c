import { zstdCompressSync } from "node:zlib";
import type { EncodedResult, Execution, Source } from "@quern/adapter";
import { describe, expect, it, vi } from "vitest";
import { createSourceKind } from "../src/source-kind.ts";
import { type Coordinator, oneColumn, type Reply, startCoordinator } from "./coordinator.ts";
import { never, sourceAt, statementOn, withoutSecrets } from "./fixture.ts";

const kind = createSourceKind(withoutSecrets);
const begin = (source: Source, sql = "SELECT 1", signal = never): Promise<Execution> =>
  kind.begin(statementOn(source, sql), signal);

/** Runs a statement on a coordinator, and returns the text of its parts. */
async function partsOf({ host }: Coordinator, query = ""): Promise<readonly string[]> {
  const execution = await begin(sourceAt(`trino://reader@${host}/memory/s${query}`));
  try {
    const { parts } = (await execution.result()) as EncodedResult;
    const texts: string[] = [];
    for await (const part of parts) for await (const bytes of part) texts.push(Buffer.from(bytes).toString());
    return texts;
  } finally {
    await execution.release();
  }
}

/** Answers with pages one after another, each at its own address. */
function startPages(...pages: ((origin: string) => object)[]): Promise<Coordinator> {
  return startCoordinator(({ method, path }, _, origin) => {
    if (method === "DELETE") return { status: 204 };
    const index = path === "/v1/statement" ? 0 : Number(path.slice(1));
    const page = pages[index]?.(origin) ?? { status: 404 };
    if ("status" in page || "body" in page) return page;
    const isLast = index + 1 === pages.length;
    const end = isLast ? { stats: { state: "FINISHED" } } : { nextUri: `${origin}/${index + 1}` };
    return { id: "q_1", ...end, ...page };
  });
}

const columns = oneColumn;
const deleted = ({ received }: Coordinator): readonly string[] =>
  received.filter(({ method }) => method === "DELETE").map(({ path }) => path);

describe("a query", () => {
  it("delivers the rows of its pages as they are", async () => {
    await using trino = await startPages(
      () => ({}),
      () => ({ columns }),
      () => ({ body: `{"id":"q_1","nextUri":"${trino.origin}/3","data":[[9007199254740993], [ 1.10 ]]}` }),
      () => ({ columns, data: [[3]] }),
    );
    expect(await partsOf(trino)).toEqual(["[[9007199254740993], [ 1.10 ]]", "[[3]]"]);
    expect(deleted(trino)).toEqual([]);
  });

  it.each([1, 2, 3])("fails with an error on page %i, with the place of the error", async (at) => {
    const error = {
      message: "line 1:8: Division by zero",
      errorName: "DIVISION_BY_ZERO",
      errorType: "USER_ERROR",
      errorLocation: { lineNumber: 1, columnNumber: 8 },
    };
    const pages = [1, 2, 3].map((page) => () => (page === at ? { error } : { columns, data: [[page]] }));
    await using trino = await startPages(...pages);
    await expect(partsOf(trino)).rejects.toMatchObject({
      failure: { name: "DivisionByZero", data: { category: "USER", engine: "trino", line: 1, column: 8 } },
    });
  });

  it("is canceled at its latest page when it is released", async () => {
    await using trino = await startPages(
      () => ({ columns, stats: { progressPercentage: 25 } }),
      () => ({ data: [[1]], stats: { progressPercentage: 50.5 } }),
      () => ({}),
    );
    const execution = await begin(sourceAt(`trino://reader@${trino.host}`));
    expect(execution).toMatchObject({ engineQueryId: "q_1" });
    expect(execution.progress()).toBe(0.25);
    const { parts } = (await execution.result()) as EncodedResult;
    for await (const _ of parts) break;
    expect(execution.progress()).toBe(0.505);
    await execution.release();
    expect(deleted(trino)).toEqual(["/2"]);
  });

  it("that is released ends the request for a segment, and for the next page, at once", async () => {
    const waiting = new Promise<Reply>(() => {});
    await using storage = await startCoordinator(({ path }) => (path === "/1" ? { body: "[[1]]" } : waiting));
    const segments = ["/1", "/2"].map((path) => ({ type: "spooled", uri: storage.origin + path }));
    await using trino = await startCoordinator(({ method, path }, _, origin) => {
      if (path !== "/v1/statement") return method === "DELETE" ? { status: 204 } : waiting;
      return { id: "q_1", columns, nextUri: `${origin}/1`, data: { encoding: "json", segments } };
    });
    const execution = await begin(sourceAt(`trino://reader@${trino.host}?storage=${storage.origin}`));
    const arrays = ((await execution.result()) as EncodedResult).parts[Symbol.asyncIterator]();
    await arrays.next();
    await vi.waitFor(() => expect([storage.received.length, trino.received.length]).toEqual([2, 2]));
    await Promise.all([expect(arrays.next()).rejects.toThrow("The query was released."), execution.release()]);
    expect(deleted(trino)).toEqual(["/1"]);
  });

  it("sends its user, tags, trace and run, and no password that it does not have", async () => {
    await using trino = await startPages(() => ({ columns }));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const change = { traceparent, tags: { team: "é, a", empty: null }, userId: "ü" };
    const source = sourceAt(`trino://reader@${trino.host}/memory/s`);
    await (await kind.begin(statementOn(source, "SELECT ?;", { ...change, parameters: ["x"] }), never)).release();
    const [request] = trino.received;
    expect(request?.body).toBe("EXECUTE IMMEDIATE 'SELECT ?' USING 'x'");
    expect(request?.headers).toMatchObject({
      "x-trino-user": "reader",
      "x-trino-source": "quern",
      "x-trino-catalog": "memory",
      "x-trino-schema": "s",
      "x-trino-client-tags": "team=%C3%A9%2C a,empty",
      "x-trino-client-info": '{"queryRunId":"run_1","tenantId":"tenant","userId":"%C3%BC"}',
      "x-trino-trace-token": "0af7651916cd43dd8448eb211c80319c",
      "x-trino-query-data-encoding": "json+zstd, json",
      traceparent,
    });
    expect(request?.headers.authorization).toBeUndefined();
  });

  it("runs as the user of the call, and only if Trino can have such a user", async () => {
    await using trino = await startPages(() => ({ columns }));
    const source = sourceAt(`trino://service@${trino.host}`, { runAs: "user" });
    await (await begin(source)).release();
    expect(trino.received[0]?.headers["x-trino-user"]).toBe("user@example.org");
    const forged = kind.begin(statementOn(source, "SELECT 1", { userId: "a\r\nx-trino-user: admin" }), never);
    await expect(forged).rejects.toMatchObject({ failure: { name: "InvalidUser" } });
    await kind.cancel(source, "q_1", { tenantId: "tenant", userId: "user@example.org" });
    expect(trino.received.at(-1)).toMatchObject({
      path: "/v1/query/q_1",
      headers: { "x-trino-user": "user@example.org" },
    });
    await kind.cancel(source, "../../v1/node");
    expect(trino.received).toHaveLength(2);
  });
});

describe("Trino's addresses", () => {
  it.each<[string, (origin: string) => object]>([
    ["page", () => ({ columns, nextUri: "http://127.0.0.1:1/2" })],
    ["page of another scheme", (origin) => ({ columns, nextUri: `${origin.replace("http", "https")}/2` })],
    ["page without a host", () => ({ columns, nextUri: "/2" })],
    ["segment", () => ({ columns, data: spooled({ uri: "http://127.0.0.1:1/s", ackUri: "http://127.0.0.1:1/a" }) })],
    [
      "acknowledgement",
      (origin) => ({ columns, data: spooled({ uri: `${origin}/segment`, ackUri: "http://127.0.0.1:1/a" }) }),
    ],
  ])("are refused for a %s on another host", async (_, first) => {
    await using trino = await startCoordinator(({ path }, _before, origin) =>
      path === "/segment" ? { body: "[[1]]" } : { id: "q_1", stats: { state: "FINISHED" }, ...first(origin) },
    );
    await expect(partsOf(trino)).rejects.toMatchObject({
      failure: { name: "ForeignHost", data: { category: "DATA_SOURCE" } },
    });
  });

  it("are not followed by a redirect", async () => {
    await using other = await startPages(() => ({ columns }));
    await using trino = await startCoordinator(() => ({
      status: 307,
      headers: { location: `${other.origin}/v1/statement` },
    }));
    await expect(partsOf(trino)).rejects.toMatchObject({ failure: { name: "InvalidResponse" } });
    expect(other.received).toEqual([]);
  });
});

const spooled = (segment: object, encoding = "json") => ({
  encoding,
  segments: [{ type: "spooled", metadata: {}, headers: { "x-amz-key": ["k"] }, ...segment }],
});

describe("segments", () => {
  const inline = (bytes: Uint8Array, encoding: string, uncompressedSize?: number) => ({
    columns,
    data: {
      encoding,
      segments: [{ type: "inline", data: Buffer.from(bytes).toString("base64"), metadata: { uncompressedSize } }],
    },
  });
  const rows = Buffer.from(`[[${"1".repeat(100)}]]`);

  it("are fetched from the storage with their own headers, without the user, and acknowledged", async () => {
    await using storage = await startCoordinator(() => ({ body: zstdCompressSync(rows) }));
    const segment = { uri: `${storage.origin}/segment`, ackUri: `${storage.origin}/ack` };
    await using trino = await startPages(() => ({ columns, data: spooled(segment, "json+zstd") }));
    expect(await partsOf(trino, `?storage=${storage.origin}`)).toEqual([rows.toString()]);
    expect(storage.received.map(({ path }) => path)).toEqual(["/segment", "/ack"]);
    for (const { headers } of storage.received) {
      expect(headers["x-amz-key"]).toBe("k");
      expect(Object.keys(headers).filter((name) => /trino|authorization/.test(name))).toEqual([]);
    }
  });

  it("that are inline are decoded, whether compressed or not", async () => {
    await using trino = await startPages(
      () => inline(rows, "json", rows.length),
      () => inline(zstdCompressSync(rows), "json+zstd", rows.length),
      () => inline(rows, "json+zstd", rows.length),
      () => inline(zstdCompressSync("[[1]]"), "json+zstd", 5),
      () => inline(zstdCompressSync(rows), "json+zstd", undefined),
    );
    const text = rows.toString();
    expect(await partsOf(trino)).toEqual([text, text, text, "[[1]]", text]);
  });

  it.each<[string, () => object, string]>([
    [
      "larger than announced",
      () => inline(zstdCompressSync(Buffer.alloc(1_000_000, 0x20)), "json+zstd", 999_999),
      "InvalidResponse",
    ],
    [
      "above the limit without an announced size",
      () => inline(zstdCompressSync(Buffer.alloc(67_108_865, 0x20)), "json+zstd", undefined),
      "InvalidResponse",
    ],
    ["smaller than announced", () => inline(zstdCompressSync(rows), "json+zstd", rows.length + 1), "InvalidResponse"],
    ["announced above the limit", () => inline(rows, "json", 67_108_865), "ResultTooLarge"],
    ["damaged", () => inline(zstdCompressSync(rows).subarray(0, -2), "json+zstd", rows.length), "InvalidResponse"],
    ["of an unknown encoding", () => inline(Buffer.from("x"), "arrow", 1), "InvalidResponse"],
    ["without an address", () => ({ columns, data: spooled({}) }), "InvalidResponse"],
  ])("that are %s fail the query", async (_, page, name) => {
    await using trino = await startPages(page);
    await expect(partsOf(trino)).rejects.toMatchObject({ failure: { name } });
  });

  it("that the storage no longer has lose the query, and an acknowledgement that fails does not", async () => {
    await using storage = await startCoordinator(({ path }) =>
      path === "/here" ? { body: "[[1]]" } : { status: 404 },
    );
    const data = (name: string) => spooled({ uri: `${storage.origin}/${name}`, ackUri: `${storage.origin}/ack` });
    await using here = await startPages(() => ({ columns, data: data("here") }));
    expect(await partsOf(here, `?storage=${storage.origin}`)).toEqual(["[[1]]"]);
    await using gone = await startPages(() => ({ columns, data: data("gone") }));
    await expect(partsOf(gone, `?storage=${storage.origin}`)).rejects.toThrow("answered with the HTTP status 404");
  });
});

describe("responses of other programs and failures", () => {
  it.each<[string, Reply, string]>([
    ["a page for signing in", { body: "<html>" }, "InvalidResponse"],
    ["other JSON", { body: '{"data":[1]}' }, "InvalidResponse"],
    ["a refused user", { status: 401, body: "Access Denied" }, "DataSourceUnauthorized"],
    ["a refused impersonation", { status: 403, body: "Access Denied: cannot impersonate" }, "DataSourceRefused"],
  ])("such as %s fail the query", async (_, reply, name) => {
    await using trino = await startCoordinator(() => reply);
    await expect(partsOf(trino)).rejects.toMatchObject({ failure: { name, data: { category: "DATA_SOURCE" } } });
  });

  it("that end by themselves are not noticed", async () => {
    await using trino = await startCoordinator(({ method, path }, before, origin) => {
      const status = [503, 502, 504, 429][before];
      if (status !== undefined) return { status, ...(status === 429 ? { headers: { "retry-after": "0" } } : {}) };
      return method === "POST"
        ? { id: "q_1", nextUri: `${origin}/1` }
        : { id: "q_1", columns, data: [[path]], stats: { state: "FINISHED" } };
    });
    expect(await partsOf(trino)).toEqual(['[["/1"]]']);
    expect(trino.received.map(({ method }) => method).join()).toBe(
      `${"POST,".repeat(5)}${"GET,".repeat(5).slice(0, -1)}`,
    );
  });

  it("of a Trino that shuts down lose the query, with the first line of its answer", async () => {
    await using trino = await startCoordinator(() => ({ status: 500, body: "java.lang.Error\n at X" }));
    await expect(partsOf(trino)).rejects.toMatchObject({ name: "EngineLostError" });
    await expect(partsOf(trino)).rejects.toThrow(/HTTP status 500: java.lang.Error.$/);
  });

  it.each<[string, object]>([
    ["another state than FINISHED", { stats: { state: "FAILED" } }],
    ["no state", { stats: {} }],
    ["an error of its shutdown", { error: { message: "", errorName: "SERVER_SHUTTING_DOWN" } }],
    ["a page that is cut off", { body: '{"id":"q_1","da' }],
  ])("of a Trino that ends with %s lose the query, although rows were delivered", async (_, last) => {
    await using trino = await startPages(
      () => ({ columns, data: [[1]] }),
      () => last,
    );
    await expect(partsOf(trino)).rejects.toMatchObject({ name: "EngineLostError" });
  });

  it("of a Trino that restarted lose the query", async () => {
    await using trino = await startPages(() => ({ columns, nextUri: `${trino.origin}/gone` }));
    await expect(partsOf(trino)).rejects.toMatchObject({ name: "EngineLostError" });
  });

  it("to connect lose the query, with a message that has no user", async () => {
    const lost = begin(sourceAt("trino://reader@127.0.0.1:1"));
    await expect(lost).rejects.toMatchObject({ name: "EngineLostError" });
    await expect(lost).rejects.toThrow("Cannot reach Trino, or its storage, at http://127.0.0.1:1: ");
  });

  it("to cancel are reported, unless the query is unknown", async () => {
    await using gone = await startCoordinator(() => ({ status: 410 }));
    await kind.cancel(sourceAt(`trino://reader@${gone.host}`), "q_1");
    await using refusing = await startCoordinator(() => ({ status: 403 }));
    await expect(kind.cancel(sourceAt(`trino://reader@${refusing.host}`), "q_1")).rejects.toThrow("HTTP status 403");
  });
});
