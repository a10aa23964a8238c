import { gzipSync } from "node:zlib";
import type { EncodedResult, Source } from "@quern/adapter";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createSourceKind } from "../src/source-kind.ts";
import { oneColumn, type Reply, startCoordinator } from "./coordinator.ts";
import { never, sourceAt, statementOn } from "./fixture.ts";

const kind = createSourceKind({ secret: async () => "geheim" });

async function resultOf(source: Source): Promise<string> {
  const execution = await kind.begin(statementOn(source, "SELECT 1"), never);
  try {
    const { parts } = (await execution.result()) as EncodedResult;
    let text = "";
    for await (const part of parts) for await (const bytes of part) text += Buffer.from(bytes).toString();
    return text;
  } finally {
    await execution.release();
  }
}

describe("the password of a source", () => {
  const trino = "https://trino.example.org";
  const storage = "https://storage.example.org";
  const password = { file: "/run/secrets/trino" };
  const source = sourceAt(`trino://reader@trino.example.org?SSL=true&storage=${storage}`, { password });
  const basic = `Basic ${Buffer.from("reader:geheim").toString("base64")}`;
  const segment = { type: "spooled", uri: `${storage}/segment`, ackUri: `${storage}/ack`, metadata: {}, headers: {} };
  const spooled = { columns: oneColumn, data: { encoding: "json", segments: [segment] } };

  afterEach(() => void vi.restoreAllMocks());

  /** Stands in for all hosts, because a password is sent over TLS only. Returns the requests with their authorization. */
  function answer(pages: Readonly<Record<string, () => Response>>): (readonly [url: string, string | null])[] {
    const sent: (readonly [string, string | null])[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (url, { headers } = {}) => {
      sent.push([String(url), new Headers(headers).get("authorization")]);
      return pages[String(url)]?.() ?? new Response(null, { status: 404 });
    });
    return sent;
  }

  it("goes to the coordinator with each request, and to no storage", async () => {
    const sent = answer({
      [`${trino}/v1/statement`]: () => Response.json({ id: "q_1", nextUri: `${trino}/1` }),
      [`${trino}/1`]: () => Response.json({ id: "q_1", ...spooled, nextUri: `${trino}/2` }),
      [`${trino}/2`]: () => Response.json({ id: "q_1", columns: oneColumn, stats: { state: "FINISHED" } }),
      [`${storage}/segment`]: () => new Response("[[1]]"),
      [`${storage}/ack`]: () => new Response(),
    });
    expect(await resultOf(source)).toBe("[[1]]");
    expect(sent.toSorted()).toEqual([
      [`${storage}/ack`, null],
      [`${storage}/segment`, null],
      [`${trino}/1`, basic],
      [`${trino}/2`, basic],
      [`${trino}/v1/statement`, basic],
    ]);
  });

  it.each<[string, () => Response]>([
    ["a page of another host", () => Response.json({ id: "q_1", nextUri: "https://other.example.org/1" })],
    ["a page of the storage", () => Response.json({ id: "q_1", nextUri: `${storage}/1` })],
    ["a page without TLS", () => Response.json({ id: "q_1", nextUri: "http://trino.example.org/1" })],
    ["a redirect", () => new Response(null, { status: 307, headers: { location: "https://other.example.org/" } })],
  ])("is not sent to %s", async (_, first) => {
    const sent = answer({ [`${trino}/v1/statement`]: first });
    await expect(resultOf(source)).rejects.toMatchObject({ name: "StatementError" });
    expect(new Set(sent.map(([url]) => new URL(url).origin))).toEqual(new Set([trino]));
    for (const [, { redirect } = {}] of vi.mocked(fetch).mock.calls) expect(redirect).toBe("manual");
  });
});

describe("a response above 64 MiB", () => {
  const page = (bytes: number): string => {
    const text = JSON.stringify({ id: "q_1", columns: oneColumn, stats: { state: "FINISHED" }, data: [[1]] });
    return text.padEnd(bytes, " ");
  };
  const gzip = { "content-encoding": "gzip" };
  const maxBytes = 67_108_864;

  it.each<[string, (bytes: number) => Reply]>([
    ["that is plain", (bytes) => ({ body: page(bytes) })],
    ["after decompression", (bytes) => ({ headers: gzip, body: gzipSync(page(bytes), { level: 1 }) })],
  ])("%s fails the query, and one of 64 MiB does not", async (_, reply) => {
    for (const bytes of [maxBytes, maxBytes + 1]) {
      await using trino = await startCoordinator(({ method }) =>
        method === "DELETE" ? { status: 204 } : reply(bytes),
      );
      const result = resultOf(sourceAt(`trino://reader@${trino.host}`));
      if (bytes === maxBytes) expect(await result).toBe("[[1]]");
      else
        await expect(result).rejects.toMatchObject({
          failure: { name: "ResultTooLarge", data: { category: "RESOURCE" } },
        });
    }
  });
});
