import { homedir } from "node:os";
import { join } from "node:path";

/** Folder of programs that tests install once for the machine. It is outside the tree, because that takes minutes. */
export const machineCache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "quern-test");
