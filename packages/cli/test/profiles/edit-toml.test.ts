import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { expect, it } from "vitest";
import { withMembers, withoutTable } from "../../src/profiles/edit-toml.ts";

const document = `# My services
default_profile = "a" # the usual one

# Production
[profiles.a]
url = "https://a.example.org" # behind the proxy
api_key_command = [
  "pass", # the password manager
  "show",
]

# Test
[profiles."b"]
url = 'http://127.0.0.1:8080'
`;

it("sets, adds and removes members, and keeps everything else", () => {
  const changed = withMembers(document, ["profiles", "a"], {
    url: "https://new.example.org",
    api_key_command: undefined,
    keyring: true,
  });
  expect(changed).toBe(
    document.replace("https://a.", "https://new.").replace(/api_key_command = \[[^\]]*\]/, "keyring = true"),
  );
  const withKey = withMembers(document, ["profiles", "b"], { url: "http://b", api_key_file: "b.key" });
  expect(withKey).toBe(document.replace("'http://127.0.0.1:8080'", '"http://b"\napi_key_file = "b.key"'));
  expect(withMembers(document, [], { default_profile: "b" })).toBe(document.replace('"a"', '"b"'));
  expect(withMembers(document, [], { default_profile: undefined })).not.toContain("default_profile");
});

it("adds a table at the end and the default at the start, and removes a table with its lines", () => {
  expect(withMembers(document, ["profiles", "c"], { url: "http://c" })).toBe(
    `${document}\n[profiles.c]\nurl = "http://c"\n`,
  );
  expect(withMembers("[profiles.a]\n", [], { default_profile: "a" })).toBe('default_profile = "a"\n\n[profiles.a]\n');
  expect(withMembers("", ["profiles", "a"], { keyring: true })).toBe("[profiles.a]\nkeyring = true\n");
  expect(withoutTable(document, ["profiles", "a"])).toBe(document.replace(/# Production[\s\S]*?\n\n/, ""));
  expect(withoutTable(document, ["profiles", "none"])).toBe(document);
  expect(withoutTable("# mine\n[profiles.a]\nurl = 'http://a'\n", ["profiles", "a"])).toBe("# mine\n");
});

it("keeps the line ends of Windows", () => {
  const text = document.replaceAll("\n", "\r\n");
  const members = { url: "http://x", source: "s" };
  expect(withMembers(text, ["profiles", "a"], members)).toBe(
    withMembers(document, ["profiles", "a"], members).replaceAll("\n", "\r\n"),
  );
});

it("changes documents of any texts as an object changes", () => {
  const name = fc.stringMatching(/^[\w-]{1,8}$/);
  const value = fc.oneof(
    fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
    fc.boolean(),
  );
  const table = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true });
  const profiles = fc.dictionary(name, table, { maxKeys: 4, noNullPrototype: true });
  fc.assert(
    fc.property(profiles, name, table, (old, changed, members) => {
      const text = Object.keys(old).length === 0 ? "" : stringify({ profiles: old });
      const edited = parse(withMembers(text, ["profiles", changed], members));
      const expected = { ...old, [changed]: { ...old[changed], ...members } };
      if (Object.keys(members).length > 0) expect(edited).toEqual({ profiles: expected });
    }),
    { numRuns: 40 },
  );
});
