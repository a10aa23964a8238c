import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openInBrowser } from "../../src/listening/browser.ts";

/** Creates a folder with programs that write their words and environment to `opened` in it. */
async function programs(...names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "quern-browser-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of names) {
    const file = join(folder, name);
    await writeFile(
      file,
      `#!/bin/sh\n/usr/bin/env > '${folder}/env'\necho "$@" > '${folder}/words'\nmv '${folder}/words' '${folder}/opened'\n`,
    );
    await chmod(file, 0o700);
  }
  return folder;
}

const url = "http://127.0.0.1:1/console/#code=1";

it.each([
  ["linux", "xdg-open", url],
  ["darwin", "open", url],
  ["win32", "rundll32", `url.dll,FileProtocolHandler ${url}`],
] as const)("opens a link on %s with %s, which does not inherit the key", async (platform, program, words) => {
  const folder = await programs(program);
  openInBrowser(url, { PATH: `${folder}:/bin:/usr/bin`, DISPLAY: ":0", QUERN_API_KEY: "qk_1" }, platform);
  const read = (name: string) => readFile(join(folder, name), "utf8").catch(() => "");
  await expect.poll(() => read("opened"), { timeout: 10_000 }).toBe(`${words}\n`);
  expect(await read("env")).toContain("DISPLAY=:0");
  expect(await read("env")).not.toContain("QUERN_API_KEY");
});

it("opens nothing without a display, and needs no program", async () => {
  const folder = await programs("xdg-open");
  openInBrowser(url, { PATH: `${folder}:/bin` }, "linux");
  openInBrowser(url, { PATH: folder, WAYLAND_DISPLAY: "wayland-0" }, "freebsd");
  openInBrowser(url, { PATH: "/nowhere", DISPLAY: ":0" }, "linux");
  // The second call has a display: of the three, only it may run the program.
  await expect
    .poll(() => readFile(join(folder, "env"), "utf8").catch(() => ""), { timeout: 10_000 })
    .toContain("WAYLAND");
  expect(await readFile(join(folder, "env"), "utf8")).not.toContain(":0");
});
