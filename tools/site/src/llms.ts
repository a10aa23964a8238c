import { markdownPath, pageOf } from "./pages.ts";
import { read } from "./tree.ts";

/** Returns `llms.txt` of the repository with the addresses of the pages in Markdown. @param version folder of the pages */
export function llmsText(version: string): string {
  return read("llms.txt").replaceAll(/\]\(([^)]+)\)/g, (_, file: string) => {
    if (file === "spec/openrpc.json") return `](${version}openrpc.json)`;
    const page = pageOf(file);
    if (page === undefined) throw new Error(`llms.txt names ${file}, which is no page of the site`);
    return `](${version}${markdownPath(page)})`;
  });
}
