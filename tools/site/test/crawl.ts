import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** Returns the paths of the web pages in a folder, without those of the console, which has no links. */
const htmlFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".html") && !file.includes("console/index"))
    .map((file) => join(folder, file));

/** Returns the links of all pages in a folder that lead to no file or to no element, and files that are loaded from elsewhere. */
export function brokenAddresses(folder: string): string[] {
  const texts = new Map(htmlFiles(folder).map((file) => [file, readFileSync(file, "utf8")]));
  const anchors = new Map([...texts].map(([file, html]) => [file, idsOf(html)]));
  const faults: string[] = [];
  for (const [file, html] of texts) {
    for (const [, tag = "", attribute = "", written = ""] of html.matchAll(
      /<(\w+)[^>]*?\s(href|src|srcset|action)="([^"]*)"/g,
    )) {
      const address = new URL(
        written.replaceAll("&amp;", "&").replaceAll("&#38;", "&"),
        `http://site/${relative(folder, file)}`,
      );
      const fault =
        address.host !== "site"
          ? tag === "a" && attribute === "href"
            ? undefined
            : "is loaded from elsewhere"
          : faultOf(
              join(folder, decodeURIComponent(address.pathname)),
              decodeURIComponent(address.hash.slice(1)),
              anchors,
            );
      if (fault !== undefined) faults.push(`${relative(folder, file)}: ${written} ${fault}`);
    }
  }
  return [...new Set(faults)];
}

function faultOf(path: string, anchor: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  if (!existsSync(path)) return "is missing";
  const file = statSync(path).isDirectory() ? join(path, "index.html") : path;
  if (!existsSync(file)) return "has no page";
  const ids = anchors.get(file);
  return anchor === "" || ids === undefined || ids.has(anchor) ? undefined : "names no element";
}

const idsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id));
