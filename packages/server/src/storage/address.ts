const secretNames = /password|secret|token|accesskey|credential/i;

/**
 * Checks the address of a store or result store. Messages name the setting and the scheme only, since the rest of an
 * address may have a secret.
 * @param schemes such as `postgres:`
 * @param advice tells where a secret belongs
 * @throws {Error} if the text is no address, has another scheme, or contains a secret
 */
export function checkAddress(
  setting: string,
  text: string,
  {
    schemes,
    example,
    advice,
  }: { readonly schemes: readonly string[]; readonly example: string; readonly advice: string },
): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Error(`Invalid setting ${setting}: it is not an address; write it as ${example}.`);
  if (!schemes.includes(url.protocol))
    throw new Error(`Invalid setting ${setting}: unknown scheme ${url.protocol}//; write it as ${example}.`);
  const secret = [...url.searchParams.keys()].find((name) => secretNames.test(name));
  if (url.password !== "" || secret !== undefined)
    throw new Error(`Invalid setting ${setting}: the address contains a password; remove it, and ${advice}.`);
}
