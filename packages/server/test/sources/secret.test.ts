import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { readSecret } from "../../src/sources/secret.ts";
import { temporaryDirectory } from "../fixture.ts";

it("reads a file or a variable at each call, without the line break at its end", async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, "password");
  await writeFile(file, "hunter2\n");
  expect(await readSecret({ file })).toBe("hunter2");
  await writeFile(file, "line\nbreaks\r\n");
  expect(await readSecret({ file })).toBe("line\nbreaks");
  await writeFile(file, "changed");
  expect(await readSecret({ file })).toBe("changed");
  await rm(directory, { recursive: true });
  await expect(readSecret({ file })).rejects.toThrow(`Cannot read the password of a data source: ${file} (ENOENT)`);
  vi.stubEnv("SHOP_PASSWORD", "hunter2");
  expect(await readSecret({ variable: "SHOP_PASSWORD" })).toBe("hunter2");
  vi.stubEnv("SHOP_PASSWORD", "");
  await expect(readSecret({ variable: "SHOP_PASSWORD" })).rejects.toThrow("the variable SHOP_PASSWORD is not set");
  vi.unstubAllEnvs();
  await expect(readSecret({ variable: "SHOP_PASSWORD" })).rejects.toThrow("the variable SHOP_PASSWORD is not set");
});
