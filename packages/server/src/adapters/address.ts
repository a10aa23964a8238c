const secretNames = /password|secret|token|accesskey|credential/i;

/**
 * Checks the address of a store or result store. Messages name the setting or flag and the scheme only, since the rest of an
 * address may have a secret.
 * @param name setting or flag that has the address, such as `setting store`
 * @param schemes such as `postgres:`
 * @param advice tells where a secret belongs
 * @throws {Error} if the text is no address, has another scheme, or contains a secret
 */
export function checkAddress(
  name: string,
  text: string,
  {
    schemes,
    example,
    advice,
  }: { readonly schemes: readonly string[]; readonly example: string; readonly advice: string },
): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Error(`Invalid ${name}: it is not an address; write it as ${example}.`);
  if (!schemes.includes(url.protocol))
    throw new Error(`Invalid ${name}: unknown scheme ${url.protocol}//; write it as ${example}.`);
  checkNoSecret(name, url, advice);
}

/** @throws {Error} if an address contains a secret */
export function checkNoSecret(subject: string, url: URL, advice: string): void {
  const secret = [...url.searchParams.keys()].find((name) => secretNames.test(name));
  // A URL without // has no password of its own: scheme:/user:password@host.
  const hasPassword = url.password !== "" || (url.host === "" && /:[^@]*@/.test(url.pathname));
  if (hasPassword || secret !== undefined)
    throw new Error(`Invalid ${subject}: the address contains a password; remove it, and ${advice}.`);
}
