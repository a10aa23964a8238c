import { UsageError } from "./cli-error.ts";

/** Loads the package that a command is made of, which is not installed with the CLI. @throws UsageError with its install line. */
export async function optionalPackage<Module>(
  command: string,
  name: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new UsageError(`\`quern ${command}\` needs ${name}; install it: npm install ${name}`);
  }
}

/** Whether the package itself is missing, and not something that it imports. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`package '${name}'`);
}
