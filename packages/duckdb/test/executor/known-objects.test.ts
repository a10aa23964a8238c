import { expect, it } from "vitest";
import { createKnownObjects } from "../../src/executor/known-objects.ts";
import { noObjects } from "../../src/executor/source-objects.ts";

let links = 0;
/** The files of a revision have other links after a while. */
const linked = () => [{ name: "shop", path: `/links/${++links}/shop.duckdb` }];

it("lists the objects of a user's revision once, by a process that has run no statement", async () => {
  const known = createKnownObjects();
  let lists = 0;
  const forged = async () => ({ ...noObjects, macros: new Set(["forged"]) });
  const list = async () => ({ ...noObjects, macros: new Set([`macro ${++lists}`]) });
  const macros = async (revision: string, ...rest: [boolean, () => Promise<unknown>]) =>
    [...(await known.of({ databases: linked(), owner: "ann", revision }, ...rest)).macros].join();
  expect(await macros("1", false, forged)).toBe("forged");
  expect(await macros("1", true, list)).toBe("macro 1");
  expect(await macros("1", false, forged)).toBe("macro 1");
  expect(await macros("2", true, list)).toBe("macro 2");
  for (let revision = 3; revision <= 1_001; revision += 1) await macros(String(revision), true, list);
  expect(await macros("1", true, list)).toBe("macro 1002"); // the oldest was forgotten
  expect(await known.of({ databases: [], owner: "ann", revision: "1" }, true, forged)).toBe(noObjects);
});
