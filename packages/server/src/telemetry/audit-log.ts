import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";

/** Action of a caller or an operator. It never contains the text of a statement, a key or a row. */
export interface AuditEvent {
  readonly action:
    | "run.create"
    | "run.cancel"
    | "query.describe"
    | "result.link"
    | "result.read"
    | "statement.read"
    | "access.refused"
    | "key.issue"
    | "key.rotate"
    | "key.revoke"
    | "links.revoke"
    | "tenant.set";
  /** Null if the caller is unknown. */
  readonly tenantId: string | null;
  readonly userId: string | null;
  /**
   * Id of the key or token of the call; for a download, of the call that requested the link. Null for a command, and if
   * the caller is unknown.
   */
  readonly keyId: string | null;
  /** IP address of the client, `unknown` if there is none, or `local` for a command on the machine. */
  readonly address: string;
  /** `x-request-id` of the HTTP request; undefined for a command. */
  readonly requestId?: string | undefined;
  readonly [detail: string]: string | number | boolean | null | undefined | readonly string[];
}

/** Append-only file with one JSON object a line. Several processes may append at the same time. */
export interface AuditLog {
  /** Writes an event. The operating system has it when the call returns. */
  record(event: AuditEvent, now: Instant): void;
  close(): void;
}

/** Opens `audit.jsonl` in a data directory; only the owner of the file can read it. */
export function openAuditLog(dataDir: string): AuditLog {
  mkdirSync(dataDir, { recursive: true });
  const file = openSync(join(dataDir, "audit.jsonl"), "a", 0o600);
  return {
    record(event, now) {
      writeSync(file, `${JSON.stringify({ time: new Date(now).toISOString(), ...event })}\n`);
    },
    close: () => closeSync(file),
  };
}

const minuteMs = 60_000;
/**
 * Maximum number of refused credentials and links that are logged in a minute. A client without a key can cause any
 * number of them, which would fill the disk.
 */
const maxRefusalsPerMinute = 600;

/**
 * Caps the refused credentials and links that are logged in each minute.
 * @returns a function that returns undefined for a refusal above the cap, or else the details to log: `suppressed`
 *   counts the refusals that were not logged since the last one that was
 */
export function createRefusalThrottle(clock: Clock): () => { readonly suppressed?: number } | undefined {
  let minute = 0;
  let logged = 0;
  let suppressed = 0;
  return () => {
    const now = Math.floor(clock.now() / minuteMs);
    if (now !== minute) logged = 0;
    minute = now;
    if (logged >= maxRefusalsPerMinute) {
      suppressed += 1;
      return undefined;
    }
    logged += 1;
    const details = suppressed === 0 ? {} : { suppressed };
    suppressed = 0;
    return details;
  };
}
