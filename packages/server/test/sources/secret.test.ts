import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { readSecret } from "../../src/sources/secret.ts";
import { temporaryDirectory } from "../fixture.ts";

afterEach(() => vi.unstubAllEnvs());

it("reads a password from a variable as it is", async () => {
  vi.stubEnv("SHOP_PASSWORD", "hush\n");
  expect(await readSecret({ variable: "SHOP_PASSWORD" })).toBe("hush\n");
});

it.each([undefined, ""])("refuses a variable with the value %s", async (value) => {
  vi.stubEnv("SHOP_PASSWORD", value);
  await expect(readSecret({ variable: "SHOP_PASSWORD" })).rejects.toThrow(
    new Error("Missing password of a data source: the variable SHOP_PASSWORD is not set; set it."),
  );
});

it.each([
  ["hush", "hush"],
  ["hush\n", "hush"],
  ["hush\r\n", "hush"],
  ["hush\n\n", "hush\n"],
  ["\nhush ", "\nhush "],
  ["", ""],
])("reads a password from a file with %j as %j", async (content, password) => {
  const directory = await temporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, "password");
  await writeFile(file, content);
  expect(await readSecret({ file })).toBe(password);
});

it("names a file that it cannot read, and the reason", async () => {
  await expect(readSecret({ file: "/nowhere/password" })).rejects.toThrow(
    new Error("Cannot read the password of a data source: /nowhere/password (ENOENT); check the file."),
  );
});
