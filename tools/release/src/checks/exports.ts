import { readFileSync } from "node:fs";
import { publint } from "publint";
import { formatMessage, formatMessagePath } from "publint/utils";
import type { Fault } from "../fault.ts";
import type { PackedPackage } from "../packed-package.ts";

/** Checks that each entry point of the manifest leads to a file of the right kind. */
export async function exportFaults({ name, tarball, manifest }: PackedPackage): Promise<Fault[]> {
  const { buffer } = new Uint8Array(readFileSync(tarball));
  const { messages } = await publint({ strict: true, pack: { tarball: buffer } });
  return messages
    .filter(({ type }) => type !== "suggestion")
    .map((message) => ({
      package: name,
      file: "package.json",
      rule: `publint ${message.code} at ${formatMessagePath(message.path)}`,
      action: formatMessage(message, { ...manifest }, { color: false }) ?? "correct the member of package.json",
    }));
}
