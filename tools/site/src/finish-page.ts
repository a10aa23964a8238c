import { createHash } from "node:crypto";
import { posix } from "node:path";

/** Base path with which the generator builds; it stands for the root of the version, wherever that will be. */
export const placeholder = "/quern-site-root";

/**
 * Returns a page of the generator with relative addresses, so that the site works below any path, with frames around its
 * tables, and with a content security policy.
 * @param file path of the page below the root of the version, such as `guides/console/index.html`
 */
export function finishPage(html: string, file: string): string {
  const up = posix.relative(`/${posix.dirname(file)}`, "/") || ".";
  const moved = html
    .replaceAll(new RegExp(`(["'(\\s,])${placeholder}(/?)`, "g"), (_, before, slash) => `${before}${up}${slash}`)
    // Code in the attribute of a copy button has no line breaks, and may contain a table too.
    .replaceAll(/<table>(?=\s*<thead>)/g, '<div class="table-frame"><table>')
    .replaceAll(/(?<=<\/tbody>\s*)<\/table>/g, "</table></div>");
  return moved.replace(/<meta charset="utf-8" ?\/?>/, (charset) => `${charset}${policyMeta(moved)}`);
}

/** Returns a script of the generator with the root of the version computed from the address of the script. */
export const finishScript = (code: string): string =>
  code.replaceAll(new RegExp(`(["'\`])${placeholder}(/?)\\1`, "g"), (_, __, slash) =>
    slash === "" ? '(new URL("..",import.meta.url).pathname.slice(0,-1))' : '(new URL("..",import.meta.url).pathname)',
  );

/** Search needs WebAssembly; the colours of code are `style` attributes. */
function policyMeta(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, code = ""]) => code);
  const hashes = scripts.map((code) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`);
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'wasm-unsafe-eval' ${[...new Set(hashes)].join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<meta http-equiv="content-security-policy" content="${policy.join("; ")}"/>`;
}
