import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Context } from "../../src/command-function.ts";
import { apiKeyOf } from "../../src/connection/api-key.ts";
import { connect } from "../../src/connection/connect.ts";
import { AuthError, UsageError } from "../../src/errors/cli-error.ts";
import { httpUrl } from "../../src/http-address.ts";

const folder = await mkdtemp(join(tmpdir(), "quern-connect-"));
afterAll(() => rm(folder, { recursive: true }));

const contextOf = (env: Readonly<Record<string, string>>): Context => ({ process: { env } }) as unknown as Context;

it.each([
  [
    "the flag",
    { url: "https://flag.example.org" },
    { QUERN_URL: "https://env.example.org" },
    "https://flag.example.org",
  ],
  ["the environment", {}, { QUERN_URL: "https://env.example.org" }, "https://env.example.org"],
  ["the default, if the variable is empty", {}, { QUERN_URL: "" }, "http://127.0.0.1:8080"],
  ["the default", {}, {}, "http://127.0.0.1:8080"],
])("connects to the address of %s", async (_, flags, env, origin) => {
  const client = await connect(flags, contextOf({ ...env, QUERN_API_KEY: "key" }));
  expect(new URL(client.url).origin).toBe(origin);
});

it.each([
  ["--url", { url: "a.example.org" }, {}, "a.example.org"],
  ["--url", { url: "" }, { QUERN_URL: "https://env.example.org" }, ""],
  ["QUERN_URL", {}, { QUERN_URL: "ftp://a" }, "ftp://a"],
])("refuses the address of %s that is not of HTTP", async (origin, flags, env, text) => {
  await expect(connect(flags, contextOf({ ...env, QUERN_API_KEY: "key" }))).rejects.toThrow(
    new UsageError(
      `invalid ${origin}: expected an HTTP address such as http://127.0.0.1:8080, got ${JSON.stringify(text)}`,
    ),
  );
});

it.each(["http://a/b", "https://a/b"])("accepts the address %s", (text) => {
  expect(httpUrl(text, "--url").href).toBe(text);
});

it("reads the key of the file without white space around it, and else that of the environment", async () => {
  const apiKeyFile = join(folder, "key");
  await writeFile(apiKeyFile, "\n of the file \n");
  const context = contextOf({ QUERN_API_KEY: "of the environment" });
  expect(await apiKeyOf({ apiKeyFile }, context)).toBe("of the file");
  expect(await apiKeyOf({}, context)).toBe("of the environment");
});

it("refuses a missing or empty key, and a file that cannot be read", async () => {
  const empty = join(folder, "empty");
  await writeFile(empty, " \n");
  await expect(apiKeyOf({}, contextOf({ QUERN_API_KEY: " qk_2\r\n" }))).resolves.toBe("qk_2");
  const missing = new AuthError("missing API key");
  await expect(apiKeyOf({}, contextOf({ QUERN_API_KEY: " \n" }))).rejects.toThrow(missing);
  await expect(apiKeyOf({}, contextOf({}))).rejects.toThrow(missing);
  await expect(apiKeyOf({}, contextOf({ QUERN_API_KEY: "" }))).rejects.toThrow(missing);
  await expect(apiKeyOf({ apiKeyFile: empty }, contextOf({ QUERN_API_KEY: "key" }))).rejects.toThrow(missing);
  const none = apiKeyOf({ apiKeyFile: join(folder, "none") }, contextOf({}));
  await expect(none).rejects.toBeInstanceOf(UsageError);
  await expect(none).rejects.toThrow(
    /^cannot read the key file: ENOENT: .*none'; pass a file with a key to --api-key-file$/,
  );
});
