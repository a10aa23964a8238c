import type { Credential } from "./credential-store.ts";

/** Removes the code of a sign-in link from the address, so that it is not in the history, and returns it. */
export function takeSignInCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return undefined;
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/**
 * Exchanges the code of a sign-in link for a key of its own.
 * @throws {Error} if the service refuses the code or cannot be reached
 */
export async function exchangeCode(code: string): Promise<Credential> {
  const response = await fetch(new URL("../console/session", document.baseURI), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  if (!response.ok) throw new Error("Invalid or expired link: request a new one, or sign in with a key.");
  const { apiKey } = await response.json();
  if (typeof apiKey !== "string") throw new Error("The service answered without a key: sign in with a key.");
  // Each link gives another key, and whoever has a link of this machine is its user.
  return { kind: "apiKey", value: apiKey, scope: "link" };
}
