import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openFileLock } from "../common/file-lock.ts";
import { auditFiles, auditLockFile } from "../telemetry/audit-files.ts";
import {
  type AuditExpectation,
  type AuditInput,
  type AuditVerification,
  openAuditInputs,
  verifyAudit as verifyInputs,
} from "../telemetry/audit-verification.ts";
import { AdministrationError } from "./open-directory.ts";

/** Audit log to check: the files of a data directory, or named files, the oldest first. */
export type AuditLocation = { readonly dataDir: string } | { readonly files: readonly string[] };

/**
 * Checks that no line of an audit log was changed, removed or moved. The server may run. Lines that were removed at the
 * end, or a changed last line, are found only if `expected` is the hash of one of them.
 * @throws {AdministrationError} if there is no audit log, a named file cannot be opened, or a hash is malformed
 */
export async function verifyAudit(
  location: AuditLocation,
  expectation: AuditExpectation = {},
): Promise<AuditVerification> {
  for (const hash of [expectation.expected, expectation.after])
    if (hash !== undefined && !/^[0-9a-f]{64}$/.test(hash))
      throw new AdministrationError(
        `invalid hash: ${hash}; expected 64 hexadecimal digits in lower case, as \`quern audit verify\` prints`,
      );
  return verifyInputs(
    "dataDir" in location ? inputsIn(resolve(location.dataDir)) : inputsOf(location.files),
    expectation,
  );
}

function inputsIn(dataDir: string): readonly AuditInput[] {
  if (!existsSync(dataDir) || auditFiles(dataDir).length === 0)
    throw new AdministrationError(
      `no audit log in ${dataDir}; name the data directory of the service in --data-dir, or files in --file`,
    );
  // The server could close a file between the list and the opening.
  const lock = openFileLock(join(dataDir, auditLockFile));
  try {
    return lock.hold(() => openAuditInputs(auditFiles(dataDir)));
  } finally {
    lock.close();
  }
}

function inputsOf(files: readonly string[]): readonly AuditInput[] {
  try {
    return openAuditInputs(files);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AdministrationError(`cannot read the audit log: ${reason}; name its files in --file, the oldest first`);
  }
}
