import { expect, it } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { createPostgresLinkStore } from "../../src/store/link-store.ts";
import { createPostgresRateStore } from "../../src/store/rate-store.ts";

it("takes a token at the rate of the key, and forgets full buckets after each thousand calls", async () => {
  const sent: unknown[][] = [];
  const rows = async (text: string, ...values: unknown[]) => {
    sent.push([text.trim().split(" ")[0], ...values]);
    return [{ wait_ms: "7" }];
  };
  const rates = createPostgresRateStore({ rows } as unknown as Database);
  expect(await rates.take("key", { requestsPerSecond: 4, burst: 3 })).toBe(7);
  expect(sent.splice(0)).toEqual([["INSERT", "key", 250, 3]]);
  const sweeps: number[] = [];
  for (let call = 2; call <= 2_001; call += 1) {
    await rates.take("key", { requestsPerSecond: 1, burst: 1 });
    if (sent.splice(0).some(([word]) => word === "DELETE")) sweeps.push(call);
  }
  expect(sweeps).toEqual([1_000, 2_000]);
});

it("forgets links that have expired before it uses one", async () => {
  const sent: string[] = [];
  const rows = async (text: string) => {
    sent.push(text);
    return text.startsWith("DELETE") ? [{}] : [];
  };
  const links = createPostgresLinkStore({ rows } as unknown as Database);
  expect([await links.use("a", 5), await links.isUsed("a")]).toEqual([false, false]);
  expect(sent[0]).toBe("DELETE FROM used_links WHERE expires_at <= now_ms()");
});
