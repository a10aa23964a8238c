import { describe, expect, it } from "vitest";
import { commandLine, curlCommand } from "../src/command-line.ts";
import { flagsOf } from "../src/flags.ts";
import { createDocument } from "./support/document.ts";
import { modelOf } from "./support/model.ts";

const model = modelOf();
const [addNote, remove] = model.methods;
if (addNote === undefined || remove === undefined) throw new Error("the document has two methods");

describe("a flag", () => {
  it("carries deprecation, of its member or of the object around it", () => {
    const document = createDocument();
    const { text, place } = document.components.schemas.AddNoteParams.properties;
    Object.assign(text, { deprecated: true });
    Object.assign(place, { deprecated: true });
    const [first] = modelOf(document).methods;
    const flags = flagsOf(modelOf(document), first?.params ?? "");
    expect(flags.filter((flag) => flag.deprecated).map(({ name }) => name)).toEqual([
      "text",
      "place-row",
      "place-side",
    ]);
  });
});

describe("an example in a shell", () => {
  it("is quoted for any shell text", () => {
    const line = commandLine(addNote, flagsOf(model, addNote.params), addNote.examples[0]?.params);
    expect(line).toBe("quern notes-add-note --text 'Buy milk' --label 'list=it'\\''s' --place-row 3");
  });

  it("is false with --no-", () => {
    expect(commandLine(remove, flagsOf(model, remove.params), { id: "7", force: false })).toBe(
      "quern delete --id 7 --no-force",
    );
  });

  it.each([
    [["left", "right"], "--sides left,right"],
    [["a,b"], `--sides '["a,b"]'`],
  ])("gives the list %j", (sides, words) => {
    const flag = { name: "sides", path: ["sides"], kind: "list", required: false, brief: "" } as const;
    expect(commandLine(remove, [flag], { sides })).toBe(`quern delete ${words}`);
  });

  it("is a request to curl", () => {
    expect(curlCommand(remove, { id: "it's" })).toContain(
      `--data '{"jsonrpc":"2.0","method":"delete","params":[{"id":"it'\\''s"}],"id":1}'`,
    );
  });
});
