import { expect, it } from "vitest";
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
