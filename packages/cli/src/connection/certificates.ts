import { readFile } from "node:fs/promises";
import { UsageError } from "../errors/cli-error.ts";

/** Trusts the authorities of a file in this process, beside those of Node. @throws {UsageError} The file has no certificate. */
export async function trustAuthorities(file: string, origin: string): Promise<void> {
  const fail = (reason: unknown): UsageError => new UsageError(`cannot use the ca_file of ${origin}: ${reason}`);
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw fail(error.message);
  });
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g);
  if (certificates === null) throw fail(`${file} has no certificate in PEM`);
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule("node:tls");
  try {
    setDefaultCACertificates([...getCACertificates("default"), ...certificates]);
  } catch (error) {
    throw fail(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}
