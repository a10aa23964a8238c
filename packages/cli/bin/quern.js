#!/usr/bin/env node
// Keeps the compiled code in the user's own cache: another user could write to Node's default, which is in the temporary folder.
const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
const caches = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`);
if (caches) process.getBuiltinModule("node:module").enableCompileCache(`${caches}/quern/compile-cache`);

// Imported after that, since the cache serves only what is loaded later.
const { main } = await import("../dist/main.js");
await main(process.argv.slice(2), process);
