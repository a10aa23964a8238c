import { isWorkerd } from "./deadline.ts";

/**
 * Secret that authenticates the caller, or a function that returns it. The client calls the function before the first request and
 * again after an HTTP 401; requests that are refused at the same time share one call. If it returns `undefined` or an empty
 * string, the request is sent without a credential.
 */
export type Credential = string | (() => string | undefined | Promise<string | undefined>);

interface CredentialSource {
  /** Name of the header, and the prefix of the secret in it. */
  readonly header: string;
  readonly prefix: string;
  current(): Promise<string | undefined>;
  /** Replaces a refused secret; returns the same one if there is no other. */
  renewed(refused: string | undefined): Promise<string | undefined>;
}

/**
 * @throws {TypeError} if `apiKey` and `token` are both set, or if the secret is empty or has other characters than
 * printable ASCII.
 */
export function createCredential(options: {
  readonly apiKey?: Credential;
  readonly token?: Credential;
}): CredentialSource {
  const members = (["apiKey", "token"] as const).filter((member) => member in options);
  const [name = members[0], other] = members.filter((member) => options[member] !== undefined);
  if (other) throw new TypeError("Invalid options: apiKey and token are both given; remove one of them");
  const credential = name && options[name];
  if (name && typeof credential !== "function") checkSecret(name, credential);
  const isToken = name === "token";
  let cached: Promise<string | undefined> | undefined;

  async function read(): Promise<string | undefined> {
    if (typeof credential !== "function") return credential;
    const secret = await credential();
    if (secret) checkSecret(`${name}()`, secret);
    return secret || undefined;
  }

  function current(): Promise<string | undefined> {
    if (isWorkerd() && !cached) {
      return read().then((secret) => {
        cached = Promise.resolve(secret);
        return secret;
      });
    }
    cached ??= read().catch((error) => {
      cached = undefined;
      throw error;
    });
    return cached;
  }

  return {
    header: isToken ? "authorization" : "x-api-key",
    prefix: isToken ? "Bearer " : "",
    current,
    async renewed(refused) {
      const last = current();
      // Another request may have renewed the secret already.
      if (typeof credential === "function" && (await last) === refused && cached === last) cached = undefined;
      return current();
    },
  };
}

function checkSecret(name: string, secret: unknown): void {
  if (typeof secret === "string" && /^[ -~]+$/.test(secret)) return;
  const got = typeof secret === "string" ? secret && "other characters" : typeof secret;
  const advice = secret === undefined ? "; remove the member to call without a credential" : "";
  throw new TypeError(`Invalid ${name}: expected one line of ASCII text, got ${got || "an empty text"}${advice}`);
}
