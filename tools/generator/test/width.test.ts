import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cli } from "../src/targets/cli/target.ts";
import { client } from "../src/targets/client/target.ts";
import { mockServer } from "../src/targets/mock-server/target.ts";
import { protocol } from "../src/targets/protocol/target.ts";
import { react } from "../src/targets/react/target.ts";
import { server } from "../src/targets/server/target.ts";
import { createDocument } from "./support/document.ts";
import { outputOf } from "./targets/support.ts";

const packages = fileURLToPath(new URL("../../../packages", import.meta.url));

/** A member or an item that is a single text, or a link in a comment, which cannot be wrapped. */
const unbreakable = /^\s*(?:(?:\w+|"[^"]*"): )?"(?:[^"\\]|\\.)*"[,;]?$|^\s*\* (?:@\w+ )?https?:\S+$/;

const tooLong = (text: string) => text.split("\n").filter((line) => line.length > 120 && !unbreakable.test(line));

describe("generated TypeScript", () => {
  const files = readdirSync(packages).flatMap((name) => {
    const folder = `${packages}/${name}/src/generated`;
    const entries = readdirSync(`${packages}/${name}`).includes("src") ? readdirSync(`${packages}/${name}/src`) : [];
    return entries.includes("generated") ? readdirSync(folder).map((file) => `${folder}/${file}`) : [];
  });

  it("is found", () => expect(files.length).toBeGreaterThan(8));

  it.each(files.map((file) => file.slice(packages.length + 1)))("in %s fits 120 columns", (file) => {
    expect(tooLong(readFileSync(`${packages}/${file}`, "utf8"))).toEqual([]);
  });

  it("fits 120 columns with long names, too", () => {
    const { methods, ...document } = createDocument();
    const [method] = methods;
    const name = "notes.add-a-note-with-quite-a-long-name-of-its-own";
    const long = {
      ...document,
      methods: [...methods, { ...method, name, "x-read-only": true, "x-cancels": undefined }],
    };
    for (const target of [protocol, client, react, cli, server, mockServer])
      expect(Object.values(outputOf(target, long)).flatMap(tooLong)).toEqual([]);
  });
});
