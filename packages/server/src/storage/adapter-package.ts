import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);

/**
 * Loads the package of an adapter that a setting names, from the current folder, or else from beside this package.
 * @param name export of the package that the server calls
 * @throws {Error} if the package is not installed or has no such export
 */
export async function loadAdapter<Adapter extends object>(
  setting: string,
  packageName: string,
  name: keyof Adapter & string,
): Promise<Adapter> {
  let file: string;
  try {
    file = require.resolve(packageName, { paths: [process.cwd(), import.meta.dirname] });
  } catch {
    throw new Error(
      `Missing package of the setting ${setting}: ${packageName}; install it: npm install ${packageName}`,
    );
  }
  const adapter: unknown = await import(pathToFileURL(file).href);
  if (isAdapter<Adapter>(adapter, name)) return adapter;
  throw new Error(`Package of another version: ${packageName} has no ${name}; install the version of this server.`);
}

function isAdapter<Adapter extends object>(value: unknown, name: keyof Adapter & string): value is Adapter {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
}
