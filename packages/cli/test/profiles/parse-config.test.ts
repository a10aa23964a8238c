import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { UsageError } from "../../src/errors/cli-error.ts";
import { parseConfig } from "../../src/profiles/parse-config.ts";
import { memberRules } from "../../src/profiles/profile.ts";

it("reads profiles in every form of TOML", () => {
  const { defaultProfile, profiles } = parseConfig(
    [
      "default_profile = 'a'",
      "[profiles.a] # comment",
      'url = "https://a.example.org"',
      "api_key_command = [",
      '  "pass",',
      "  'show quern',",
      "]",
      "[profiles]",
      "b = { format = 'csv', keyring = false, proxy = '' }",
      "c.source = 'warehouse'",
      '[profiles."with a space"]',
    ].join("\r\n"),
    "config.toml",
  );
  expect(defaultProfile).toBe("a");
  expect(Object.fromEntries(profiles)).toEqual({
    a: { url: "https://a.example.org", api_key_command: ["pass", "show quern"] },
    b: { format: "csv", keyring: false, proxy: "" },
    c: { source: "warehouse" },
    "with a space": {},
  });
});

it("reads the example of the guide", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/command-line.md", import.meta.url), "utf8");
  const [, example = ""] = /```toml\n([\s\S]*?)```/.exec(guide) ?? [];
  const { defaultProfile, profiles } = parseConfig(example, "config.toml");
  expect([defaultProfile, ...profiles.keys()]).toEqual(["production", "production", "test"]);
  for (const member of Object.keys(memberRules)) expect(guide).toContain(`\n| \`${member}\` | `);
});

const secret = "qk_secret";

it.each([
  ["[profiles.a]\n\napi_kee = 's'", "line 3: unknown member: api_kee; did you mean api_key?"],
  ["[profiles.a]\npassword = 's'", /^line 2: unknown member: password; use one of url, api_key, .*, format$/],
  ["defualt_profile = 'a'", "line 1: unknown member: defualt_profile; did you mean default_profile?"],
  ["[profile.a]\nurl = 'https://a'", /unknown member: profile; did you mean profiles\?$/],
  ["[profiles.a]\nurl = 'a.example.org'", /^line 2: invalid url: expected an HTTP address such as "https:/],
  [
    "[profiles.a]\n[profiles.'b c']\nformat = 'cvs'",
    /^line 3: invalid format: expected one of "table", "vertical", .*"markdown"$/,
  ],
  ["[profiles.a]\nformat = 'parquet'", /^line 2: invalid format/],
  ["[profiles.a]\nproxy = 'localhost:1'", /^line 2: invalid proxy: expected the address of a proxy/],
  ["[profiles.a]\nkeyring = 'yes'", "line 2: invalid keyring: expected true or false"],
  ["[profiles.a]\nsource = ''", "line 2: invalid source: expected the name of a data source, in quotes"],
  [
    "[profiles.a]\napi_key_command = 'pass show quern'",
    'line 2: invalid api_key_command: expected a program and its arguments, such as ["pass", "show", "quern"]',
  ],
  [
    `[profiles.a]\nkeyring = true\napi_key = '${secret}'`,
    "line 2: profile a has api_key and keyring; keep one of them",
  ],
  [`[profiles.a]\napi_key = ${secret}`, "line 2: the file is not TOML: invalid value"],
  [`[profiles.a]\napi_key = "${secret}`, "line 2: the file is not TOML: unfinished string"],
  [`[profiles.a]\napi_key = "${secret}" "`, /^line 2: the file is not TOML: /],
  ["profiles = 1", "line 1: invalid profiles: expected tables such as [profiles.production]"],
  ["[profiles]\na = 1", "invalid profile a: expected a table such as [profiles.a]"],
  ["default_profile = 1", "line 1: invalid default_profile: expected the name of a profile, in quotes"],
])("an error about %j names the line, and no value", (text, message) => {
  const failed = () => parseConfig(text, "my.toml");
  expect(failed).toThrow(UsageError);
  try {
    failed();
  } catch (error) {
    const found = String(Object(error).message);
    expect(found.replace(/^invalid my\.toml(?:, |: )/, "")).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
    expect(found).not.toContain(secret);
  }
});
