import type { Store } from "@quern/adapter";
import { isObject } from "@quern/json-rpc/envelope";
import { type Handler, handlerOf, type Reply, type RequestHeaders } from "@quern/json-rpc/handler";
import type { HostRule } from "../common/host-rule.ts";
import type { Log } from "../common/log.ts";
import { refusal } from "../common/refusal.ts";
import { requestIdOf } from "../common/request-context.ts";
import { firstTenant, generateApiKey, keyRecordOf } from "../identity/api-key.ts";
import type { FailedCredentials } from "../identity/failed-credentials.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { SignInCodes } from "./sign-in-codes.ts";

export const sessionPath = "/console/session";

const keyLifetimeMs = 12 * 3_600_000;
/** Maximum size of a body, in bytes: it has one code. */
const maxBodyBytes = 1_000;
/** No cache may keep a key. */
const noStore = { "cache-control": "no-store" };
/** Rights of the key of a console. It is no administrator, and not the first key. */
const rights = { scopes: ["run", "read", "cancel"], sources: null, origins: null, networks: null } as const;

export interface SessionOptions {
  readonly codes: SignInCodes;
  readonly store: Pick<Store, "keys" | "now">;
  readonly telemetry: Pick<Telemetry, "audited" | "refused">;
  readonly hosts: HostRule;
  readonly failed: FailedCredentials;
  readonly limits: Handler["limits"];
  readonly log: Log;
}

/** Creates the handler of `POST /console/session`, which exchanges a code for an API key of its own. */
export function createSessionHandler({
  codes,
  store,
  telemetry,
  hosts,
  failed,
  log,
  ...options
}: SessionOptions): Handler {
  const limits = { ...options.limits, maxBodyBytes };

  function wrongSite(headers: RequestHeaders): string | undefined {
    return (
      hosts.refusal(headers.get("host")) ?? (isSameOrigin(headers) ? undefined : "Only the console may send codes.")
    );
  }

  async function answer(body: string | Uint8Array, headers: RequestHeaders): Promise<Reply> {
    const code = codeOf(body);
    if (code === undefined) return refuse(400, "invalid_request", 'Invalid body: expected {"code": "…"}.');
    if (!codes.use(code)) return refuseCode(headers);
    try {
      const body = [JSON.stringify({ apiKey: await issueKey(headers) })];
      return { status: 200, headers: { "content-type": "application/json", ...noStore }, body };
    } catch (error) {
      codes.restore(code);
      log.error("a key for the console could not be stored", error, { requestId: requestIdOf(headers) });
      return refuse(503, "unavailable", "The key could not be stored; retry.", { "retry-after": "1" });
    }
  }

  /** Counts guesses as refused keys. */
  function refuseCode(headers: RequestHeaders): Reply {
    const { refused, retryAfterMs = 0 } = failed(headers);
    telemetry.refused({ principal: undefined, headers }, { httpStatus: refused, path: sessionPath });
    if (refused !== 429) return refuse(401, "invalid_code", invalidCode);
    const retryAfter = String(Math.ceil(retryAfterMs / 1_000));
    return refuse(429, "rate_limited", "Too many invalid codes; retry later.", { "retry-after": retryAfter });
  }

  async function issueKey(headers: RequestHeaders): Promise<string> {
    const key = generateApiKey();
    const { id: keyId, ...record } = keyRecordOf(key, "issued");
    const id = keyId.replace("key_", "key_console_");
    const expiresAt = (await store.now()) + keyLifetimeMs;
    await store.keys.add({ ...record, id, ...firstTenant, ...rights, expiresAt });
    const principal = { ...firstTenant, apiKeyId: id };
    telemetry.audited({ principal, headers }, "key.issue", { issuedKeyId: id, ...rights, expiresAt });
    return key;
  }

  return handlerOf({
    limits,
    async admit(headers) {
      const wrong = wrongSite(headers);
      const tooLarge = refuse(413, "invalid_request", `The body has more than ${maxBodyBytes} bytes.`);
      return {
        maxBodyBytes,
        tooLarge,
        answer: async (body) => (wrong === undefined ? answer(body, headers) : refuse(403, "forbidden", wrong)),
      };
    },
  });
}

const invalidCode =
  "Invalid, used or expired sign-in link; start `quern serve --open` or `npm start` again for a new one, or sign in with an API key.";

function codeOf(body: string | Uint8Array): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return isObject(value) && typeof value.code === "string" ? value.code : undefined;
  } catch {
    return undefined;
  }
}

/** Refuses other pages. Browsers send both headers with a POST; a page cannot change them. */
function isSameOrigin(headers: RequestHeaders): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  return origin === null || URL.parse(origin)?.host === headers.get("host")?.toLowerCase();
}

function refuse(status: number, error: string, text: string, more: Readonly<Record<string, string>> = {}): Reply {
  return refusal(status, error, text, { ...noStore, ...more });
}
