/** A key or a token, and the name under which the browser keeps the tabs of its user. */
export interface Credential {
  readonly kind: "apiKey" | "token";
  readonly value: string;
  /** Tells the users of a browser apart. Not a secret. */
  readonly scope: string;
}

const NAME = "quern.console.credential";
const EXPIRED = "quern.console.expired-scope";

/** Returns the credential that the browser has for this page; undefined without one. */
export function storedCredential(): Credential | undefined {
  for (const storage of [sessionStorage, localStorage]) {
    const credential = parsed(storage.getItem(NAME));
    if (credential !== undefined) return credential;
  }
  return undefined;
}

/** Stores the credential in the tab of the browser, or in the browser if `remember` is true. */
export function storeCredential(credential: Credential, remember: boolean): void {
  forgetCredential();
  (remember ? localStorage : sessionStorage).setItem(NAME, JSON.stringify(credential));
}

/** @param expired the credential, if the service no longer accepts it: its tabs wait for the next one of this window */
export function forgetCredential(expired?: Credential): void {
  sessionStorage.removeItem(NAME);
  localStorage.removeItem(NAME);
  if (expired === undefined) sessionStorage.removeItem(EXPIRED);
  else sessionStorage.setItem(EXPIRED, expired.scope);
}

/** Calls a function when another window of the browser has changed the credential that the browser keeps. */
export function onCredentialChange(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === NAME || key === null) listener();
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}

/** Returns the scope of the credential that has expired in this window; null if none has. */
export const expiredScope = (): string | null => sessionStorage.getItem(EXPIRED);

/**
 * Returns a short name for a secret from which nobody can compute the secret: 32 bits of FNV-1a. The tokens of a user have
 * the same name, so that the next token of an identity provider finds the tabs again.
 */
export function scopeOf(secret: string): string {
  let hash = 0x811c9dc5;
  for (const character of subjectOf(secret) ?? secret)
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** Returns issuer and subject of a JWT; undefined for another secret. */
function subjectOf(secret: string): string | undefined {
  const [, payload = ""] = secret.split(".");
  try {
    const { iss, sub } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    return typeof sub === "string" ? JSON.stringify([iss, sub]) : undefined;
  } catch {
    return undefined;
  }
}

function parsed(text: string | null): Credential | undefined {
  try {
    const { kind, value, scope } = JSON.parse(text ?? "{}");
    if ((kind !== "apiKey" && kind !== "token") || typeof value !== "string" || typeof scope !== "string") return;
    return { kind, value, scope };
  } catch {
    return undefined;
  }
}
