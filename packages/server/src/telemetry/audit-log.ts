import type { Instant } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import { makeDataDirectory } from "../common/data-directory.ts";
import { isDiskFull } from "../common/disk-full.ts";
import { type AuditOptions, settingTable } from "../generated/settings.ts";
import { type AuditAppenderOptions, openAuditAppender } from "./audit-appender.ts";

/** Action of a caller or an operator. It never contains the text of a statement, a key or a row. */
export interface AuditEvent {
  readonly action:
    | "run.create"
    | "run.cancel"
    | "query.describe"
    | "query.complete"
    | "tables.list"
    | "result.link"
    | "result.read"
    | "statement.read"
    | "upload.create"
    | "upload.store"
    | "tool.call"
    | "console.link"
    | "access.refused"
    | "key.issue"
    | "key.rotate"
    | "key.revoke"
    | "links.revoke"
    | "tenant.set"
    | "user.erase";
  /**
   * Tenant of the caller; for a command, the tenant that it concerns. Null if the caller is unknown, or if a command
   * concerns all tenants.
   */
  readonly tenantId: string | null;
  /**
   * User of the caller; for a command, the user that it concerns. Null if the caller is unknown, or if a command
   * concerns no single user.
   */
  readonly userId: string | null;
  /**
   * Id of the key, or of the subject of the token, of the call; for a download, of the call that requested the link.
   * Null for a command, and if the caller is unknown.
   */
  readonly keyId: string | null;
  /** IP address of the client, `unknown` if there is none, or `local` for a command on the machine. */
  readonly address: string;
  /** `x-request-id` of the HTTP request; undefined for a command. */
  readonly requestId?: string | undefined;
  readonly [detail: string]: string | number | boolean | null | undefined | readonly string[];
}

/**
 * Append-only files with one JSON object a line. Each line has its number, and the hash of the line before. Several
 * processes may append at the same time.
 */
export interface AuditLog {
  /** Writes an event. The operating system has it when the call returns. */
  record(event: AuditEvent, now: Instant): void;
  /** Opens the current file for writing. @throws if it cannot be written */
  prepare(): void;
  close(): void;
}

/**
 * Opens the audit log of a data directory; only the owner of its files can read them.
 * @param options of the server. A command has none: it appends to the current file, which only the server closes
 * @param freeSpace called if the disk is full; the event is written again if it returns true
 */
export function openAuditLog(
  dataDir: string,
  options?: AuditOptions,
  freeSpace: () => boolean = () => false,
): AuditLog {
  makeDataDirectory(dataDir);
  const appender = openAuditAppender(dataDir, options === undefined ? {} : appenderOptions(options));
  return {
    record(event, now) {
      const line = { time: new Date(now).toISOString(), ...event };
      for (;;) {
        try {
          return appender.append(line, now);
        } catch (error) {
          if (!isDiskFull(error) || !freeSpace()) throw error;
        }
      }
    },
    prepare: appender.prepare,
    close: appender.close,
  };
}

function appenderOptions(options: AuditOptions): AuditAppenderOptions {
  const { members: defaults } = settingTable.audit;
  const {
    rotation = defaults.rotation.default,
    maxFileBytes = defaults.maxFileBytes.default,
    stdout = false,
  } = options;
  return {
    isFull: (file, line) => (rotation === "daily" ? file.day !== line.day : file.bytes + line.bytes > maxFileBytes),
    ...(stdout && { onLine: (line: string) => void process.stdout.write(`${line}\n`) }),
  };
}

const minuteMs = 60_000;
/**
 * Maximum number of refused credentials, links and calls above a rate that are logged in a minute. Clients can cause any
 * number of them, also without a key, which would fill the disk.
 */
const maxRefusalsPerMinute = 600;

/**
 * Caps the refusals that are logged in each minute.
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
