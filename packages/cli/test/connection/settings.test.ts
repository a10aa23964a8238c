import { describe, expect, it } from "vitest";
import { settingsOf } from "../../src/connection/settings.ts";
import { UsageError } from "../../src/errors/cli-error.ts";
import { parseConfig } from "../../src/profiles/parse-config.ts";

const path = "config.toml";
const parsed = parseConfig(
  `default_profile = "usual"
[profiles.usual]
url = "https://usual.example.org/base"
api_key_file = "usual.key"
[profiles.other]
url = "https://other.example.org"
keyring = true
[profiles.keyless]
url = "https://keyless.example.org"
[profiles.local]
api_key = "k"
format = "csv"`,
  path,
);
const file = { ...parsed, path, text: "", sharedMode: undefined };
type Env = Readonly<Record<string, string>>;

/** Origins of the profile, the address and the key, or the reason why there is none. */
function originsOf(flags: Parameters<typeof settingsOf>[0], env: Env) {
  const { profile, url, key, note } = settingsOf(flags, env, file, path);
  const origin = key.kind === "missing" ? `missing: ${key.reason ?? "unset"}` : key.origin;
  return [profile?.name ?? "-", url.origin, `${origin}${note === undefined ? "" : " with a note"}`];
}

const own = { QUERN_URL: "https://env.example.org", QUERN_API_KEY: "k" };

describe("the origins of profile, address and key", () => {
  it.each([
    [{}, {}, ["usual", "profile usual", "profile usual"]],
    [{}, own, ["-", "QUERN_URL", "QUERN_API_KEY"]],
    [{ url: "https://flag.example.org" }, own, ["-", "--url", "QUERN_API_KEY"]],
    [{ apiKeyFile: "f" }, own, ["-", "QUERN_URL", "--api-key-file"]],
    [{ apiKeyFile: "f" }, {}, ["usual", "profile usual", "--api-key-file"]],
    // A profile that a flag names goes before the environment.
    [{ profile: "other" }, { ...own, QUERN_PROFILE: "usual" }, ["other", "profile other", "profile other"]],
    [{ profile: "other" }, { QUERN_API_KEY: "k" }, ["other", "profile other", "profile other"]],
    // One that the environment names goes after the other variables.
    [{}, { QUERN_PROFILE: "other" }, ["other", "profile other", "profile other"]],
    [{}, { ...own, QUERN_PROFILE: "other" }, ["other", "QUERN_URL", "QUERN_API_KEY"]],
    [{}, { QUERN_PROFILE: "" }, ["usual", "profile usual", "profile usual"]],
    // The default profile holds for another text of its address, too.
    [{ url: "https://usual.example.org/" }, {}, ["usual", "--url", "profile usual"]],
    [{}, { QUERN_URL: "https://usual.example.org:443" }, ["usual", "QUERN_URL", "profile usual"]],
    [{}, { QUERN_URL: "https://usual.example.org", QUERN_API_KEY: "k" }, ["usual", "QUERN_URL", "QUERN_API_KEY"]],
    [{ profile: "local" }, {}, ["local", "default", "profile local"]],
    [{ profile: "local" }, own, ["local", "QUERN_URL", "QUERN_API_KEY"]],
  ] as const)("%j in %j are %j", (flags, env, origins) => {
    expect(originsOf(flags, env)).toEqual(origins);
  });
});

describe("a key", () => {
  const sentTo = (profile: string) => `missing: the key of profile ${profile} is only sent to`;
  it.each([
    ["of a profile is not sent to the address of --url", { profile: "other", url: "https://flag.example.org" }, {}],
    ["of a profile is not sent to QUERN_URL", {}, { QUERN_URL: "https://env.example.org", QUERN_PROFILE: "other" }],
    ["of a profile is not sent to another port", { profile: "other", url: "https://other.example.org:8443" }, {}],
    ["of a profile is not sent without TLS", { profile: "other", url: "http://other.example.org" }, {}],
  ])("%s", (_, flags, env) => {
    const [, , key] = originsOf(flags, env);
    expect(key).toBe(`${sentTo("other")} https://other.example.org`);
  });

  it("of a profile without an address is only sent to the default address", () => {
    const [, , key] = originsOf({ profile: "local", url: "https://flag.example.org" }, {});
    expect(key).toBe(`${sentTo("local")} http://127.0.0.1:8080`);
  });

  it("of the default profile does not exist for another address", () => {
    expect(originsOf({ url: "https://flag.example.org" }, {})).toEqual(["-", "--url", "missing: unset"]);
  });

  it("of the environment is not sent to the address of a profile", () => {
    const env = { QUERN_API_KEY: "k" };
    const ofKeyless =
      "missing: profile keyless has none, and QUERN_API_KEY is only sent to its address if QUERN_URL names it, too";
    expect(originsOf({ profile: "keyless" }, env)).toEqual(["keyless", "profile keyless", ofKeyless]);
    expect(originsOf({}, { ...env, QUERN_PROFILE: "keyless" })).toEqual(["keyless", "profile keyless", ofKeyless]);
    expect(originsOf({ profile: "keyless" }, {})[2]).toBe("missing: profile keyless has none");
    expect(originsOf({}, env)).toEqual(["usual", "profile usual", "profile usual with a note"]);
    const named = { ...env, QUERN_URL: "https://keyless.example.org" };
    expect(originsOf({ profile: "keyless" }, named)).toEqual(["keyless", "profile keyless", "QUERN_API_KEY"]);
  });
});

it("an unknown profile is an error with the nearest name, and where it comes from", () => {
  const error = (flags: object, env: Env) => () => settingsOf(flags, env, file, path);
  expect(error({ profile: "othr" }, {})).toThrow(new UsageError("unknown profile: othr; did you mean other?"));
  expect(error({}, { QUERN_PROFILE: "xyz" })).toThrow(
    "unknown profile: xyz of QUERN_PROFILE; config.toml has no [profiles.xyz]; `quern profiles` lists the profiles",
  );
  const missing = () => settingsOf({ profile: "a" }, {}, undefined, undefined);
  expect(missing).toThrow("unknown profile: a; set HOME or QUERN_CLI_CONFIG, so that the file");
});
