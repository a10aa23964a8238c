import { posix } from "node:path";
import { home, navigation, type Section } from "./navigation.ts";
import { documentsIn, read } from "./tree.ts";

/** Page of the site. */
export interface Page {
  /** Path of its document in the repository. */
  readonly file: string;
  /** Address below the root of the site, without slashes around it; empty for the first page. */
  readonly path: string;
  readonly title: string;
}

/** Addresses that do not follow from the path of the document. */
const paths: Readonly<Record<string, string>> = {
  [home]: "",
  "CONTRIBUTING.md": "contributing",
  ".github/SECURITY.md": "report-a-vulnerability",
  ".github/CODE_OF_CONDUCT.md": "code-of-conduct",
  "tools/site/pages/try-it.md": "try-it",
};

const reference = "docs/reference/README.md";

/** Returns the methods in the order of the reference. */
function methodPages(): string[] {
  const rank = (file: string) => read(reference).indexOf(file.replace("docs/reference/", ""));
  return documentsIn("docs/reference/methods").toSorted((a, b) => rank(a) - rank(b));
}

export const sections: readonly Section[] = navigation(methodPages());

/** All pages, in the order of the navigation. */
export const pages: readonly Page[] = sections
  .flatMap((section) => section.pages.flatMap((entry) => (typeof entry === "string" ? [entry] : entry.pages)))
  .map((file) => ({ file, path: pathOf(file), title: titleOf(file) }));

const byFile = new Map(pages.map((page) => [page.file, page]));

export const pageOf = (file: string): Page | undefined => byFile.get(file);

function pathOf(file: string): string {
  return paths[file] ?? file.replace(/^docs\//, "").replace(/(\/README)?\.md$/, "");
}

function titleOf(file: string): string {
  const title = read(file).match(/^# (.+)$/m)?.[1];
  if (title === undefined) throw new Error(`${file} has no title: begin it with a line "# …"`);
  return title.replaceAll("`", "");
}

/** Form of a page: a web page in a folder of its own, or a file in Markdown beside that folder. */
export type Form = "page" | "markdown";

/** Returns the address of a file of the site from a page, relative, so that the site works below any path. */
export function addressFrom(page: Page, target: string, form: Form): string {
  const folder = form === "page" ? page.path : posix.dirname(page.path);
  return posix.relative(`/${folder}`, `/${target}`) || ".";
}

/** Returns the address of another page, in the same form. */
export function pageAddress(page: Page, target: Page, form: Form): string {
  if (form === "page") return `${addressFrom(page, target.path, form)}/`;
  return addressFrom(page, markdownPath(target), form);
}

/** Returns the path of a page in Markdown. */
export const markdownPath = ({ path }: Page): string => (path === "" ? "index.md" : `${path}.md`);
