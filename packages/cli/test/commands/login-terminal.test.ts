import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { binary, quernOn } from "../quern.ts";

/** The program of util-linux, which runs a command on a pseudo-terminal. That of other systems has other flags. */
const hasScript = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

const home = await mkdtemp(join(tmpdir(), "quern-login-"));
const key = "qk_pasted_key";
let on: Awaited<ReturnType<typeof quernOn>>;
beforeAll(async () => {
  on = await quernOn(createMockServer({ apiKey: key }));
});
afterAll(async () => {
  await on[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

/** Runs `quern login` on a terminal, and types an answer when its question is shown. Resolves to all that is shown. */
async function typed(answers: readonly (readonly [question: string, keys: string])[]) {
  const command = `'${process.execPath}' '${binary}' login --no-keyring; echo "exit code $?"`;
  const terminal = spawn("script", ["--quiet", "--command", command, "/dev/null"], {
    env: { PATH: process.env.PATH, HOME: home, SHELL: "/bin/sh", XDG_CACHE_HOME: tmpdir() },
  });
  const left = [...answers];
  let screen = "";
  for await (const chunk of terminal.stdout) {
    screen += chunk;
    const [next] = left;
    if (next === undefined || !screen.includes(next[0])) continue;
    left.shift();
    terminal.stdin.write(next[1]);
  }
  return screen.replaceAll("\r", "");
}

const describeOnTerminal = describe.skipIf(!hasScript); // the machine lacks script of util-linux

describeOnTerminal("quern login on a terminal", () => {
  it("ends at Ctrl-C, and keeps nothing", async () => {
    const screen = await typed([["Address of the service [http://127.0.0.1:8080]: ", "http\u0003"]]);
    expect(screen).toMatch(/quern: interrupted\.\n.*exit code 130/s);
    expect(await readdir(home)).toEqual([]);
  });

  it("asks for the address, and for the key without showing it", async () => {
    const screen = await typed([
      ["Address of the service", `${on.env.QUERN_URL}xy\u007f\b\r`],
      ["API key (not shown): ", `qk_x\u007fpasted_key\r`],
    ]);
    expect(screen).toContain(`logged in to ${on.env.QUERN_URL} as profile default`);
    expect(screen).toContain("exit code 0");
    expect(screen).not.toContain("qk_");
    expect(await readFile(join(home, ".config/quern/default.key"), "utf8")).toBe(`${key}\n`);
  });

  it("proposes the address of the profile", async () => {
    const screen = await typed([
      [`Address of the service [${on.env.QUERN_URL}]: `, "\r"],
      ["API key (not shown): ", `${key}\n`],
    ]);
    expect(screen).toContain(`logged in to ${on.env.QUERN_URL} as profile default`);
  });
});
