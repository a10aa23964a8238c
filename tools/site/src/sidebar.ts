import type { Entry } from "./navigation.ts";
import { pageOf, sections } from "./pages.ts";

/** Entry of the list of pages, in the form of Starlight. */
interface Item {
  readonly label: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly Item[];
}

/** Labels that are shorter than the titles, or say what the page is in its section. */
const labels: Readonly<Record<string, string>> = {
  "docs/README.md": "What Quern is",
  "docs/guides/README.md": "All guides",
  "docs/reference/README.md": "Overview",
  "docs/reference/settings.md": "Settings",
  "docs/reference/limits.md": "Limits",
  "docs/reference/mock-admin.md": "Mock server administration",
  "docs/guides/test-with-the-mock.md": "Test with the mock server",
  "docs/guides/test-runners.md": "Test runners",
  "examples/mock-clients/README.md": "Mock clients in other languages",
  "docs/guides/capacity.md": "Plan the size",
  "examples/dashboard/README.md": "Example: a dashboard",
  "examples/sqlite-source/README.md": "Example: an adapter",
  "spec/README.md": "OpenRPC documents",
  "spec/conformance/README.md": "Conformance corpus",
  ".github/SECURITY.md": "Report a vulnerability",
};

/** Returns the list of pages of the site. */
export const sidebar = (): readonly Item[] =>
  sections.map(({ name, pages }) => ({ label: name, items: pages.map(itemOf) }));

function itemOf(entry: Entry): Item {
  if (typeof entry !== "string") return { label: entry.group, collapsed: true, items: entry.pages.map(itemOf) };
  const page = pageOf(entry);
  if (page === undefined) throw new Error(`The navigation names ${entry}, which is no page`);
  return { label: labels[entry] ?? page.title, link: page.path === "" ? "/" : `/${page.path}/` };
}
