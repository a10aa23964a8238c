import { settingsInForce } from "@quern/server";
import { expect, it } from "vitest";
import { limitTable } from "../../src/generated/limits.ts";

const inForce = (configuration: Parameters<typeof settingsInForce>[0], name: string) =>
  settingsInForce(configuration).find((setting) => setting.name === name);

it("returns the configured value, or the default as a number or text, or null", () => {
  const { maxBatch, maxRunningRuns } = limitTable;
  expect(inForce({ limits: { maxBatch: 3 } }, "limits.maxBatch")).toEqual({
    name: "limits.maxBatch",
    variable: "QUERN_LIMITS_MAX_BATCH",
    value: 3,
    isSet: true,
    unit: maxBatch.unit,
    text: maxBatch.text,
  });
  expect(inForce({}, "limits.maxBatch")).toMatchObject({ value: maxBatch.default, isSet: false });
  expect(inForce({}, "limits.maxRunningRuns")).toMatchObject({ value: maxRunningRuns.defaultText, isSet: false });
  expect(inForce({}, "jwt.issuer")).toMatchObject({ value: "none", isSet: false, unit: null });
  expect(inForce({}, "trustedProxy")).toMatchObject({ value: false, isSet: false });
  expect(inForce({}, "publicUrl")).toMatchObject({ value: "the host of the request", isSet: false });
  const jwt = { jwks: "jwks.json", issuer: "https://id.example.com", audience: "quern" };
  expect(inForce({ jwt }, "jwt.issuer")).toMatchObject({ value: "https://id.example.com", isSet: true });
  expect(inForce({ trustedProxy: false }, "trustedProxy")).toMatchObject({ value: false, isSet: true });
});

it("describes every setting, and has a value of each", () => {
  const all = settingsInForce({ port: 2 });
  expect(all.filter(({ value }) => value === null || value === "")).toEqual([]);
  for (const { name, text } of all) expect([name, text]).toEqual([name, expect.stringMatching(/^[A-Z].{14,}\.$/)]);
  const values = Object.fromEntries(all.map(({ name, value, isSet }) => [name, [value, isSet]]));
  expect(values).toMatchObject({ dataDir: ["quern-data", false], port: [2, true], logLevel: ["warn", false] });
});
