import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { expect, it } from "vitest";
import document from "../../../spec/openrpc.json" with { type: "json" };
import { packageNames, root, sourceFiles } from "../src/tree.ts";

/**
 * Files with data about single methods, or that implement them: cases of a client on a bad network, the service they
 * need, and programs that the console writes for its users.
 */
const PERFORMING =
  /^packages\/(?:conformance\/src\/client\/(?:cases\/|example-answers\.ts)|console\/src\/share\/copy-as\.ts)/;

const methods = new Set(document.methods.map(({ name }) => name));

/**
 * Returns the places where a text of a file is the name of a method. Names in comments and of imported functions do not
 * count.
 */
function namedIn(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && methods.has(node.text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push(`${file}:${line + 1} ${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it("hand-written code decides by the traits of a method in the document, and never by its name", () => {
  const folders = [...packageNames().map((name) => `packages/${name}/src`), "tools/generator/src"];
  const files = folders.flatMap((folder) => sourceFiles(folder)).filter((file) => !PERFORMING.test(file));
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap(namedIn)).toEqual([]);
});
