import { expect, it } from "vitest";
import { configPath, requiredConfigPath } from "../../src/profiles/config-path.ts";

it.each([
  ["linux", { HOME: "/home/ann" }, "/home/ann/.config/quern/config.toml"],
  ["darwin", { HOME: "/Users/ann" }, "/Users/ann/.config/quern/config.toml"],
  ["linux", { HOME: "/home/ann", XDG_CONFIG_HOME: "/etc/ann" }, "/etc/ann/quern/config.toml"],
  ["linux", { HOME: "/home/ann", XDG_CONFIG_HOME: "relative" }, "/home/ann/.config/quern/config.toml"],
  ["linux", { HOME: "/home/ann", APPDATA: "C:\\Users" }, "/home/ann/.config/quern/config.toml"],
  ["linux", { HOME: "/home/ann", QUERN_CLI_CONFIG: "" }, "/home/ann/.config/quern/config.toml"],
  ["linux", { HOME: "/home/ann", QUERN_CLI_CONFIG: "./my.toml" }, "./my.toml"],
  ["linux", {}, undefined],
  ["win32", { APPDATA: "C:\\Users\\Ann\\AppData\\Roaming" }, "C:\\Users\\Ann\\AppData\\Roaming\\quern\\config.toml"],
  ["win32", { HOME: "/home/ann", XDG_CONFIG_HOME: "/etc/ann" }, undefined],
  ["win32", { QUERN_CLI_CONFIG: "D:\\quern.toml" }, "D:\\quern.toml"],
] as const)("on %s with %j, the configuration file is %s", (platform, env, path) => {
  expect(configPath(env, platform)).toBe(path);
});

it("a command that needs the file says what to set if the environment names no folder", () => {
  expect(() => requiredConfigPath({})).toThrow(/^no folder for the configuration file; set (?:HOME|APPDATA), or name/);
});
