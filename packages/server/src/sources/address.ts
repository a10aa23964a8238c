import { checkNoSecret } from "../adapters/address.ts";
import { builtInEngines } from "./built-in-engines.ts";

/**
 * Checks the address of a data source. Messages have no part of it, since it may contain a secret.
 * @throws {Error} if the text is no address, or contains a password
 */
export function checkSourceAddress(name: string, text: string, kind: string): void {
  const subject = `address of the data source ${name}`;
  const form = builtInEngines[kind]?.addressForm ?? `${kind}://host`;
  // A placeholder such as {user} is valid in a URL; the adapter may allow it.
  if (/^jdbc:/i.test(text)) throw new Error(`Invalid ${subject}: JDBC URLs are not supported; write it as ${form}.`);
  const url = URL.parse(text);
  if (url === null) throw new Error(`Invalid ${subject}: it is not a URL; write it as ${form}.`);
  checkNoSecret(
    subject,
    url,
    "name its file or variable in the member password of the source, or with --password-file or --password-variable",
  );
}
