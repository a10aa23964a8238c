import { UsageError } from "../errors/cli-error.ts";

const service = "quern";
/** Longest wait for the keyring, which may ask the user to unlock it. */
const timeoutMs = 60_000;

/** Returns the name of a key in the keyring. It has the address, so that a key is never sent to a changed one. */
function accountOf(profile: string, url: string): string {
  return `${profile} ${new URL(url).origin}`;
}

async function entryOf(profile: string, url: string) {
  const { AsyncEntry } = await import("@napi-rs/keyring");
  // The library would fall back to the keyring of the Linux kernel, which loses its keys at a restart.
  return new AsyncEntry(service, accountOf(profile, url), { linux: { store: "secret-service" } });
}

/** Reads the key of a profile. Returns undefined if the keyring has none. @throws {UsageError} There is no keyring, or it is locked. */
export async function keyInKeyring(profile: string, url: string): Promise<string | undefined> {
  try {
    const entry = await entryOf(profile, url);
    return (await entry.getPassword(AbortSignal.timeout(timeoutMs))) ?? undefined;
  } catch (error) {
    throw new UsageError(
      `cannot read the key of profile ${profile} in the system's keyring: ${reasonOf(error)}; unlock the keyring, or run \`quern login\` again`,
    );
  }
}

/** Stores the key of a profile. Returns the reason if it cannot, as on a machine without a keyring. */
export async function keepInKeyring(profile: string, url: string, key: string): Promise<string | undefined> {
  try {
    const entry = await entryOf(profile, url);
    await entry.setPassword(key, AbortSignal.timeout(timeoutMs));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Removes the key of a profile. Returns the reason if the keyring cannot be used. A missing key is no error. */
export async function removeFromKeyring(profile: string, url: string): Promise<string | undefined> {
  try {
    const entry = await entryOf(profile, url);
    await entry.deletePassword(AbortSignal.timeout(timeoutMs));
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  if (Object(error).code === "ERR_MODULE_NOT_FOUND") return "the package @napi-rs/keyring is not installed";
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return reason;
}
