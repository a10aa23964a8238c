import { describe, expect, it } from "vitest";
import { reference } from "../../src/targets/reference/target.ts";
import { outputOf } from "./support.ts";

const output = outputOf(reference);

describe("the reference", () => {
  it("has a page a method, one of types, one of errors, and one that leads to them", () => {
    expect(Object.keys(output)).toEqual([
      "README.md",
      "methods/notes-add-note.md",
      "methods/delete.md",
      "errors.md",
      "types.md",
    ]);
    expect(output["README.md"]).toContain("| [notes.add-note](methods/notes-add-note.md) | Add a note. |");
  });

  it("describes parameters with types, units and bounds", () => {
    expect(output["methods/notes-add-note.md"]).toContain(
      "| `text` | string | yes | What it says. From 1 to 400 characters. |",
    );
    expect(output["methods/notes-add-note.md"]).toContain(
      "| `note` | [Note](../types.md#note) | no | A note, with notes inside. |",
    );
  });

  it("shows an example as TypeScript, as a command, with curl, and its result", () => {
    const page = output["methods/notes-add-note.md"];
    expect(page).toContain('import { createClient, notesAddNote } from "@quern/client";');
    expect(page).toContain("quern notes-add-note --text 'Buy milk'");
    expect(page).toContain('curl "$QUERN_URL/json-rpc"');
    expect(page).toContain('```json\n{ "text": "Buy milk", "inside": [] }\n```');
  });

  it("says what may follow", () => {
    expect(output["methods/notes-add-note.md"]).toContain(
      "- [delete](delete.md) with `id` = `result.text`: Take it away.",
    );
  });

  it("says of each error what it means, what to do, and who answers with it", () => {
    expect(output["errors.md"]).toContain(
      "Code `-32010`. The note is longer than allowed.\n\n**What to do:** Shorten it.",
    );
    expect(output["errors.md"]).toContain(
      '{ "code": -32010, "message": "The note is too long", "data": { "longest": 400 } }',
    );
    expect(output["errors.md"]).toContain("Answered by [notes.add-note](methods/notes-add-note.md).");
    expect(output["errors.md"]).toContain("| `-32099` | NoteNotFound |");
  });

  it("has no link that leads nowhere", () => {
    const anchors = new Set(
      Object.entries(output).flatMap(([path, text]) => [path, ...headings(text).map((name) => `${path}#${name}`)]),
    );
    const links = Object.entries(output).flatMap(([path, text]) => linksOf(path, text));
    expect(links.filter((link) => !anchors.has(link))).toEqual([]);
  });
});

function headings(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, name = ""]) => name.toLowerCase().replaceAll(" ", "-"));
}

function linksOf(path: string, text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)#]*)(#[^)]*)?\)/g)].map(([, file = "", anchor = ""]) => {
    const target = file === "" ? path : new URL(file, `file:///${path}`).pathname.slice(1);
    return target + anchor;
  });
}
