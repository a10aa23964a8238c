import { type DownloadFormat, fileEndings } from "./download-format.ts";

/**
 * Maximum size of a name without its extension, in bytes of UTF-8. File systems allow 255 bytes for a name, and browsers
 * append a number to one that exists.
 */
const maxNameBytes = 200;

const utf8 = new TextEncoder();

/** Names of devices of Windows, which no file may have. */
const deviceName = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i;

/**
 * Returns the name of a file that is safe to save on any system, with the extension of its format.
 * @param given name from a caller, which can be hostile
 * @param otherwise name for one of which nothing is left
 */
export function downloadFileName(given: string, otherwise: string, format: DownloadFormat): string {
  const extension = `.${fileEndings[format]}`;
  const [base = ""] = given.split(/[/\\]/).slice(-1);
  const name = base
    // Invisible characters, such as those that reverse text and hide an extension. Joiners are part of words and emoji.
    .replace(/(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[<>:"|?*]/g, "_");
  const isExtended = name.toLowerCase().endsWith(extension);
  const stem = shortened(trimmed(isExtended ? name.slice(0, -extension.length) : name));
  return `${deviceName.test(stem) ? "_" : ""}${stem || otherwise}${extension}`;
}

/** Removes spaces and points at both ends: a file whose name begins with a point is hidden. */
function trimmed(name: string): string {
  return name.replace(/^[\s.]+|[\s.]+$/gu, "");
}

/** Returns the start of a name that has at most {@link maxNameBytes}, in whole characters as readers see them. */
function shortened(name: string): string {
  let bytes = 0;
  let start = "";
  for (const { segment } of new Intl.Segmenter().segment(name)) {
    bytes += utf8.encode(segment).length;
    if (bytes > maxNameBytes) return trimmed(start);
    start += segment;
  }
  return start;
}

/**
 * Returns the header `content-disposition` of a file. Clients that do not know `filename*` get an ASCII name.
 * @see https://www.rfc-editor.org/rfc/rfc6266
 */
export function contentDisposition(fileName: string): string {
  // Some clients decode `%20` in a quoted name, too.
  const ascii = fileName.replace(/[^ -~]|["\\%]/gu, "_");
  const disposition = `attachment; filename="${ascii}"`;
  return ascii === fileName ? disposition : `${disposition}; filename*=UTF-8''${extendedValue(fileName)}`;
}

/** Encodes a parameter as RFC 8187 requires. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
