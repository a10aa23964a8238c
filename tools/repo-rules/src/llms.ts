import { posix } from "node:path";
import { read } from "./tree.ts";

/** Tables of pages. `section` is the only section of the document that is read; `title` replaces its name. */
const indexes: readonly { readonly file: string; readonly section?: string; readonly title?: string }[] = [
  { file: "docs/README.md", section: "All pages", title: "Documentation" },
  { file: "docs/guides/README.md" },
  { file: "docs/reference/README.md", title: "Reference" },
  { file: "README.md", section: "Packages" },
];

interface Page {
  readonly section: string;
  readonly line: string;
}

/** Returns the text of `llms.txt`, in the format of llmstxt.org: a title, a summary, and sections of links. */
export function llmsText(): string {
  const readme = read("README.md");
  const name = readme.match(/^# (.+)$/m)?.[1];
  const summary = readme.match(/^[A-Z][^\n]*?\.(?=\s)/m)?.[0];
  const pages = indexes.flatMap(({ file, section, title }) =>
    pagesOf(file)
      .filter((page) => section === undefined || page.section === section)
      .map((page) => ({ ...page, section: title ?? page.section })),
  );
  const sections = [...new Set(pages.map((page) => page.section))];
  return [
    `# ${name}\n\n> ${summary}\n`,
    "[spec/openrpc.json](spec/openrpc.json) is the OpenRPC document of all methods, params, results and errors.\n",
    ...sections.map((section) => {
      const lines = pages.filter((page) => page.section === section).map(({ line }) => `${line}\n`);
      return `## ${section}\n\n${lines.join("")}`;
    }),
  ].join("\n");
}

/** Reads the tables of a document whose rows have a page and a description, in any order, below headings or bold rows. */
function pagesOf(file: string): readonly Page[] {
  const pages: Page[] = [];
  let section = "";
  for (const line of read(file).split("\n")) {
    section = (line.match(/^#+ (.+)$/) ?? line.match(/^\| \*\*(.+)\*\* \|/))?.[1] ?? section;
    const cells = line.replace(/^\| /, "").split(" | ");
    const link = cells.map((cell) => cell.match(/^\[([^\]]+)\]\(([^)]+)\)(?: \|)?$/)).find((match) => match !== null);
    const description = cells.find((cell) => !cell.startsWith("["))?.replace(/ \|$/, "");
    if (link === undefined || description === undefined) continue;
    const path = posix.join(posix.dirname(file), link[2] ?? "");
    pages.push({ section, line: `- [${link[1]}](${path}): ${description}` });
  }
  return pages;
}
