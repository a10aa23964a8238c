import { expect, it, vi } from "vitest";
import { watchReader } from "../../src/downloads/download-stream.ts";
import { createLinkSigner, maxLinkMs } from "../../src/downloads/link.ts";

const reader = { tenantId: "acme", userId: "ann", apiKeyId: "key_1" };
const download = { id: "once", runId: "run_a", format: "csv", expiresAt: 1_000, reader } as const;

it("reads a link until it expires, for at most 15 minutes", async () => {
  const signer = createLinkSigner(async () => Buffer.from("secret"));
  const token = await signer.token(download);
  expect(await signer.read(token, 999)).toEqual(download);
  expect(await signer.read(token, 1_000)).toBeUndefined();
  expect(maxLinkMs).toBe(900_000);
});

it("reads no link with another text, signature or part, and none after a new secret", async () => {
  let secret = "secret";
  const signer = createLinkSigner(async () => Buffer.from(secret));
  const token = await signer.token(download);
  const [text = "", signed = ""] = token.split(".");
  const [other = ""] = (await signer.token({ ...download, runId: "run_b" })).split(".");
  const forged = ["", ".", text, `${text}.`, `${other}.${signed}`, `${token}.x`, `${text}.${signed.slice(0, -4)}`];
  expect(await Promise.all(forged.map((each) => signer.read(each, 0)))).toEqual(forged.map(() => undefined));
  secret = "another";
  expect(await signer.read(token, 0)).toBeUndefined();
});

it.each([
  ["reads less than a megabyte in a minute", true, 999_999, 1],
  ["reads a megabyte in a minute", true, 1_000_000, 0],
  ["waits for the download", false, 0, 0],
])("disconnects a client that %s: %s, %i bytes", (_, writableNeedDrain, bytes, slow) => {
  vi.useFakeTimers();
  try {
    let read = 500;
    const onSlow = vi.fn();
    const stop = watchReader({ writableNeedDrain }, () => read, onSlow);
    read += bytes;
    vi.advanceTimersByTime(59_999);
    expect(onSlow).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect([onSlow.mock.calls.length, vi.getTimerCount()]).toEqual([slow, 1 - slow]);
    read += 999_999; // of the next minute
    vi.advanceTimersByTime(60_000);
    expect(onSlow).toHaveBeenCalledTimes(writableNeedDrain ? 1 : 0);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
