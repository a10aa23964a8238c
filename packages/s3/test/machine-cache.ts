import { homedir } from "node:os";
import { join } from "node:path";

/** Folder of programs that tests install once for the machine. It is outside the tree, because that takes minutes. */
export const machineCache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "quern-test");

/** Settings with which Cargo compiles the libraries of tests once for the machine. */
export const cargoCache = { CARGO_TARGET_DIR: join(machineCache, "cargo"), CARGO_PROFILE_DEV_DEBUG: "0" };
