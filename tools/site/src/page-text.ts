import { posix } from "node:path";
import { addressFrom, type Form, type Page, pageAddress, pageOf } from "./pages.ts";
import { exists, isFolder, read } from "./tree.ts";

const repository = "https://github.com/quern-dev/quern";

/** Folder of the pictures in the site. */
export const pictureFolder = "images";

/**
 * Returns the text of a page in Markdown: the document without its title, with links to pages of the site in place of links to
 * documents. Pictures of a web page follow its theme instead of that of the system.
 */
export function pageText(page: Page, form: Form): string {
  const text = read(page.file)
    .replace(/^<!-- @?\w.*-->\n+/gm, "")
    .replace(/^# .+\n+/m, "");
  return outsideCode(text, (prose) => pictured(linked(prose, page, form), form));
}

/** Returns the first sentence of a page as plain text, for search engines. */
export function summaryOf(text: string): string {
  const paragraph = text.split(/\n{2,}/).find((block) => /^(?!```)[A-Za-z`[]/.test(block)) ?? "";
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");
  return plain.replaceAll("\n", " ").match(/^.{0,200}?\.(?= |$)/)?.[0] ?? plain.slice(0, 160);
}

/** Applies a function to the text outside of code blocks and code spans, which two private characters mark meanwhile. */
function outsideCode(text: string, change: (prose: string) => string): string {
  const codes: string[] = [];
  const hidden = text.replaceAll(/^( *)(```+)[\s\S]*?^\1\2$|(`+)(?!`)[\s\S]*?[^`]\3(?!`)/gm, (code) => {
    codes.push(code);
    return `\uE000${codes.length - 1}\uE001`;
  });
  return change(hidden).replaceAll(/\uE000(\d+)\uE001/g, (_, at) => codes[Number(at)] ?? "");
}

function pictured(text: string, form: Form): string {
  if (form === "markdown") return text.replaceAll(/<picture>[\s\S]*?(<img[^>]*>)\s*<\/picture>/g, "$1");
  return text
    .replaceAll(/<picture>[\s\S]*?srcset="([^"]+)"[\s\S]*?<img([^>]*)>\s*<\/picture>/g, (_, dark, attributes) => {
      const light = attributes.match(/src="([^"]+)"/)?.[1] ?? "";
      const alt = attributes.match(/alt="([^"]*)"/)?.[1] ?? "";
      return `${picture(light, alt, "light-only")}${picture(dark, alt, "dark-only")}`;
    })
    .replaceAll(/!\[([^\]]*)\]\(([^)]+)\)/g, (_, alt, source) => picture(source, alt));
}

/** A lazy picture that the style hides is not loaded. */
const picture = (address: string, alt: string, theme?: string): string =>
  `<img ${theme === undefined ? "" : `class="${theme}" `}loading="lazy" src="${address}" alt="${alt}">`;

const linked = (text: string, page: Page, form: Form): string =>
  text
    .replaceAll(/\]\(([^)\s]+)\)/g, (_, link) => `](${addressOf(link, page, form)})`)
    .replaceAll(/(src|srcset)="([^":#]+\.(?:svg|png|webp))"/g, (_, name, source) => {
      return `${name}="${addressOf(source, page, form)}"`;
    });

/** Returns the address in the site for a link of a document: a page, a picture, a file of the repository, or the link itself. */
function addressOf(link: string, page: Page, form: Form): string {
  const [, outside = link] = link.match(/^https:\/\/github\.com\/quern-dev\/quern\/(?:blob|tree)\/main\/(.+)$/) ?? [];
  if (/^(https?|mailto):|^#/.test(outside)) return link;
  const [path = "", anchor] = outside.split("#");
  const file = outside === link ? posix.join(posix.dirname(page.file), path) : posix.normalize(path);
  const fragment = anchor === undefined ? "" : `#${anchor}`;
  const target = pageOf(file) ?? pageOf(posix.join(file, "README.md"));
  if (target !== undefined) return `${pageAddress(page, target, form)}${fragment}`;
  if (file === "llms.txt") return addressFrom(page, file, form);
  if (!exists(file)) throw new Error(`Broken link in ${page.file}: ${link}`);
  if (/^docs\/images\//.test(file)) return addressFrom(page, `${pictureFolder}/${posix.basename(file)}`, form);
  return `${repository}/${isFolder(file) ? "tree" : "blob"}/main/${file}${fragment}`;
}
