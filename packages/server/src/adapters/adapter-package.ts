import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);

/**
 * Loads the package of an adapter from the current folder, or else from beside this package.
 * @param user part of the configuration that needs the package, for messages, such as `the setting store`
 * @param name export of the package that the server calls
 * @throws {Error} if the package is not installed, cannot be loaded or has no such export
 */
export async function loadAdapter<Adapter extends object>(
  user: string,
  packageName: string,
  name: keyof Adapter & string,
): Promise<Adapter> {
  let file: string;
  try {
    file = require.resolve(packageName, { paths: [process.cwd(), import.meta.dirname] });
  } catch (error) {
    if (Object(error).code === "ERR_PACKAGE_PATH_NOT_EXPORTED")
      throw new Error(
        `Package without an entry point: ${packageName}; its package.json must export "." under the condition default.`,
      );
    throw new Error(`Missing package of ${user}: ${packageName}; install it: npm install ${packageName}`);
  }
  const adapter: unknown = await import(pathToFileURL(file).href);
  if (isAdapter<Adapter>(adapter, name)) return adapter;
  throw new Error(`Package of another version: ${packageName} has no ${name}; install the version of this server.`);
}

function isAdapter<Adapter extends object>(value: unknown, name: keyof Adapter & string): value is Adapter {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
}
