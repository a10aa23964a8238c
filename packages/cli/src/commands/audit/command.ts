import { buildCommand, buildRouteMap } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { dataDirFlags } from "../../data-directory/flags.ts";
import { parseFile } from "../../flags.ts";
import type { VerifyAuditFlags } from "./action.ts";

const hash = { kind: "parsed", parse: String, optional: true, placeholder: "hash" } as const;

const verifyCommand = buildCommand<VerifyAuditFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runVerifyAudit,
  parameters: {
    flags: {
      file: {
        kind: "parsed",
        parse: parseFile,
        optional: true,
        variadic: true,
        placeholder: "file",
        brief: "File to check instead of those in the data directory; may be repeated, the oldest file first.",
      },
      expect: { ...hash, brief: "SHA-256 of a line that must exist, as an earlier check printed it." },
      after: { ...hash, brief: "SHA-256 of the line before the first file, if older files were removed." },
      ...dataDirFlags,
    },
  },
  docs: {
    brief: "Check that no line of the audit log was changed, removed or moved.",
    fullDescription: [
      "Checks that each line has the hash of the line before it. Prints the first 100 faults with their files and lines, the number",
      "of lines, and the hash of the last line. Keep this hash on another machine. A later check with --expect finds out if lines at",
      "the end were removed or changed; a check without it cannot.",
      "",
      "EXAMPLES",
      "  quern audit verify --data-dir ./data",
      "  quern audit verify --file audit-2026-11-22.jsonl --file audit-2026-11-23.jsonl --after 9f86d081…",
      "",
      "EXIT CODES",
      "  0 no fault, 1 a fault, 2 usage, or no audit log that can be read",
    ].join("\n"),
  },
});

/** `quern audit`: audit log of the service. */
export const auditRoute = buildRouteMap({
  routes: { verify: verifyCommand },
  docs: { brief: "Check the audit log." },
});
