/** Path of the files of downloads; the rest of the path identifies a link. */
export const downloadPath = "/results/";

/** Path to which uploads are sent; the rest of the path identifies an upload. */
export const uploadPath = "/uploads/";

/** Pattern of the path of a link, whose UUID tells it from pages of an application. */
export const linkPattern: string = `(?:${escaped(downloadPath)}|${escaped(uploadPath)})[0-9a-f-]{36}`;

/** Returns the path at the mock for a URL of the code under test, whose base URL may have another path. */
export function mockPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname.endsWith("/json-rpc") ? "/json-rpc" : pathname;
}

/** Escapes a text for a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
