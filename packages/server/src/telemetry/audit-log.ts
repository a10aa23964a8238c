import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "@quern/query-run/record";

/** What somebody did: never the text of a statement, a key or a row. */
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
  /** Null where the caller is unknown. */
  readonly tenantId: string | null;
  readonly userId: string | null;
  /** The key or token that was used. */
  readonly keyId: string | null;
  /** Where the call came from: an IP address, or `local` for a command on the machine. */
  readonly address: string;
  /** The `x-request-id` of the HTTP request; none for a command. */
  readonly requestId?: string | undefined;
  readonly [detail: string]: string | number | boolean | null | undefined | readonly string[];
}

/** A file that is only ever appended to, one JSON object a line; several processes may append at once. */
export interface AuditLog {
  /** The event is with the operating system when it returns. */
  record(event: AuditEvent, now: Instant): void;
  close(): void;
}

/** The audit log of a data directory: `audit.jsonl`, which only its owner can read. */
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
