import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Password of every user, and of the key store. */
export const password = "test-password";

/** Trino with the catalogs `tpch`, `tpch_decimal` (without doubles) and `memory`, spooled results, and the users `owner`, `service` and readers. */
export interface TestTrino extends AsyncDisposable {
  readonly version: string;
  /** Believes every user name, and knows no passwords. */
  readonly http: string;
  /** Every user has the {@link password}. */
  readonly https: string;
  /** PEM file of the certificate. */
  readonly certificate: string;
  /** Beginning of the addresses of spooled segments. */
  readonly segments: string;
  /**
   * Returns the address of a data source over HTTP.
   * @param options Parameters of the address, beside those that this Trino needs
   */
  address(user: string, path?: string, options?: Readonly<Record<string, string>>): string;
}

/** Returns the address of a source. Parameters without a value are omitted. */
export function addressOf(
  host: string,
  user: string,
  path: string,
  options: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const parameters = given.map(([name, value]) => `${name}=${value}`).join("&");
  return `trino://${user}@${host}/${path}${parameters === "" ? "" : `?${parameters}`}`;
}

/** Creates a key store with the certificate of this machine in a folder. */
export async function createKeyStore(java: string, folder: string): Promise<{ path: string; certificate: string }> {
  const path = join(folder, "keys.p12");
  const exported = join(folder, "certificate.pem");
  const keytool = (...args: string[]) =>
    promisify(execFile)(join(java, "bin/keytool"), [...args, "-alias", "e", "-keystore", path, "-storepass", password]);
  const names = ["-dname", "CN=localhost", "-ext", "SAN=dns:localhost,ip:127.0.0.1"];
  await keytool("-genkeypair", "-keyalg", "EC", "-storetype", "PKCS12", ...names);
  await keytool("-exportcert", "-rfc", "-file", exported);
  return { path, certificate: await readFile(exported, "utf8") };
}
