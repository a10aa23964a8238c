import { describe, expect, it } from "vitest";
import { reference } from "../../src/targets/reference/target.ts";
import { createDocument, exampleParams } from "../support/document.ts";
import { outputOf } from "./support.ts";

const output = outputOf(reference);

describe("the reference", () => {
  it("describes the members of objects inside lists, maps and alternatives", () => {
    const inner = { type: "object", properties: { x: { type: "string" } } };
    const properties = {
      list: { type: "array", items: inner },
      map: { type: "object", additionalProperties: inner },
      either: { anyOf: [inner, { type: "null" }] },
    };
    const { components, ...document } = createDocument();
    const schemas = { ...components.schemas, Holder: { type: "object", properties } };
    const page = outputOf(reference, { ...document, components: { ...components, schemas } })["types.md"];
    for (const name of ["list[].x", "map.*.x", "either.x"]) expect(page).toContain(`| \`${name}\` | string | no |`);
  });

  it("shows texts of the document as they are, and only their code as code", () => {
    const document = createDocument();
    document.components.schemas.Note.description =
      "# A *note* | of <b>x</b> [y](z), `a|b*` and _w_ in snake_case.\n- 1\n2. Ends <!-- here.";
    const page = outputOf(reference, document);
    expect(page["types.md"]).toContain(
      "\\# A \\*note\\* | of \\<b\\>x\\</b\\> \\[y\\](z), `a|b*` and \\_w\\_ in snake_case.\n\\- 1\n2\\. Ends \\<!-- here.",
    );
    expect(page["methods/notes-add-note.md"]).toContain(
      "| \\# A \\*note\\* \\| of \\<b\\>x\\</b\\> \\[y\\](z), `a\\|b*` and \\_w\\_ in snake_case. \\- 1 2\\. Ends \\<!-- here. |",
    );
  });

  it("fences code that has backticks itself", () => {
    const document = createDocument();
    Object.assign(exampleParams(document), { text: "a\n```\nb" });
    const page = outputOf(reference, document)["methods/notes-add-note.md"];
    expect(page).toContain("````sh\nquern notes-add-note --text 'a\n```\nb'");
  });

  it("has no link that leads nowhere", () => {
    const anchors = new Set(
      Object.entries(output).flatMap(([path, text]) => [path, ...headings(text).map((name) => `${path}#${name}`)]),
    );
    const links = Object.entries(output).flatMap(([path, text]) => linksOf(path, text));
    const ownLinks = links.filter((link) => !link.startsWith("guides/")); // those are tested with the guides
    expect(ownLinks.filter((link) => !anchors.has(link))).toEqual([]);
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
