import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createMockServer } from "@quern/mock-server";
import { expect, it } from "vitest";
import { binary, quernOn } from "../quern.ts";

const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
const hasKeyring = has("dbus-run-session") && has("gnome-keyring-daemon");

/** Commands of one session: log in, show the place of the key, query, change the address, log out. */
const script = `
set -eu
echo -n password | gnome-keyring-daemon --unlock --components=secrets > /dev/null
quern() { "$NODE" "$BINARY" "$@"; }
echo "$KEY" | quern login --profile prod --url "$SERVICE" --api-key-stdin
cat "$HOME/.config/quern/config.toml"
quern profiles show --json
quern query "select one" --csv
echo "$KEY" | quern login --profile prod --url "$SERVICE" --api-key-stdin --no-keyring
sed -i 's/^api_key_file.*/keyring = true/' "$HOME/.config/quern/config.toml"
quern query "select one" || echo "exit code $?"
echo "$KEY" | quern login --profile prod --url "$SERVICE" --api-key-stdin
sed -i 's/127.0.0.1/localhost/' "$HOME/.config/quern/config.toml"
quern query "select one" || echo "exit code $?"
sed -i 's/localhost/127.0.0.1/' "$HOME/.config/quern/config.toml"
quern logout
quern query "select one" || echo "exit code $?"
`;

const itWithKeyring = it.skipIf(!hasKeyring); // the machine lacks dbus or gnome-keyring

itWithKeyring("keeps a key in the Secret Service of the system, for its address only", async () => {
  const home = await mkdtemp(join(tmpdir(), "quern-keyring-"));
  const mock = createMockServer();
  mock.when("select one").rows([{ n: 1 }]);
  await using on = await quernOn(mock);
  await writeFile(join(home, "session.sh"), script);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_RUNTIME_DIR: home,
    NODE: process.execPath,
    BINARY: binary,
    KEY: mock.apiKey,
    SERVICE: on.env.QUERN_URL,
  };
  const session = spawn("dbus-run-session", ["--", "sh", join(home, "session.sh")], { env });
  const [stdout, stderr] = await Promise.all([text(session.stdout), text(session.stderr)]);
  const url = on.env.QUERN_URL;
  const lines = stdout.split("\n");
  expect(lines[0], stderr).toBe(`logged in to ${url} as profile prod; the key is in the system's keyring`);
  expect(stdout).toContain(`[profiles.prod]\nurl = "${url}"\nkeyring = true\n`);
  expect(stdout).toContain('"value":"hidden","origin":"profile prod: the system\'s keyring"');
  expect(lines.slice(lines.indexOf("n"))).toEqual([
    "n",
    "1",
    `logged in to ${url} as profile prod; the key is in ${join(home, ".config/quern/prod.key")}`,
    "exit code 3",
    `logged in to ${url} as profile prod; the key is in the system's keyring`,
    "exit code 3",
    "logged out prod",
    "exit code 3",
    "",
  ]);
  expect(stderr.match(/quern: missing API key: .*?;/g)).toEqual([
    "quern: missing API key: the system's keyring has none for profile prod and its address;",
    "quern: missing API key: the system's keyring has none for profile prod and its address;",
    "quern: missing API key: profile prod has none;",
  ]);
  expect(await readdir(join(home, ".config/quern"))).toEqual(["config.toml"]);
  expect(await readFile(join(home, ".config/quern/config.toml"), "utf8")).not.toContain(mock.apiKey);
  await rm(home, { recursive: true, force: true });
});
