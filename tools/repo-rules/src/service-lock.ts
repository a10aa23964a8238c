import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { adapterNames, type Manifest, manifest, publishedFolders, read } from "./tree.ts";

type Versions = Readonly<Record<string, string>>;

/** Entry of `packages` in npm's `package-lock.json`. */
export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly optional?: boolean | undefined;
  readonly bin?: unknown;
  readonly engines?: unknown;
  readonly os?: unknown;
  readonly cpu?: unknown;
  readonly libc?: unknown;
}

interface PnpmLock {
  readonly importers: Readonly<
    Record<string, { readonly dependencies?: Readonly<Record<string, { readonly version: string }>> }>
  >;
  readonly packages: Readonly<
    Record<string, { readonly resolution: { readonly integrity: string }; readonly [member: string]: unknown }>
  >;
  readonly snapshots: Readonly<
    Record<string, { dependencies?: Versions; optionalDependencies?: Versions; optional?: boolean }>
  >;
}

export interface PackedPackage {
  readonly resolved: string;
  readonly integrity: string;
  readonly version: string;
}

/** Returns the packages of a server: the command line, the service and its adapters. */
export function servicePackages(): string[] {
  return ["cli", "server", ...adapterNames()].map((name) => `@quern/${name}`);
}

/**
 * Returns the entries of a `package-lock.json` that installs a server with the dependencies of `pnpm-lock.yaml`.
 * @param packed returns the tarball of a package of the workspace
 */
export function lockService(packed: (name: string) => PackedPackage): Readonly<Record<string, LockedPackage>> {
  const lock: PnpmLock = parse(read("pnpm-lock.yaml"));
  const folders = new Map(publishedFolders().map((folder) => [manifest(folder).name, folder]));
  const root = Object.fromEntries(servicePackages().map((name) => [name, packed(name).resolved]));
  const entries: Record<string, LockedPackage> = { "": { dependencies: root } };
  const ids = new Map<string, string>();
  const queue = servicePackages().map((name) => ({ parent: "", name, id: `${name}@workspace` }));
  for (const { parent, name, id } of queue) {
    // npm looks for a dependency in each folder `node_modules` from its parent to the root.
    const levels = ["", ...[...parent.matchAll(/\/node_modules\/|$/g)].map(({ index }) => parent.slice(0, index))];
    const paths = levels.map((level) => `${level}/node_modules/${name}`.replace(/^\//, ""));
    const nearest = paths.findLast((path) => ids.has(path));
    if (nearest !== undefined && ids.get(nearest) === id) continue;
    const path = (nearest === undefined ? paths[0] : paths.at(-1)) ?? "";
    ids.set(path, id);
    const folder = folders.get(name);
    const { needed, ...entry } = folder === undefined ? ofRegistry(lock, id) : ofWorkspace(lock, folder, packed);
    entries[path] = entry;
    queue.push(...needed.map((dependency) => ({ parent: path, ...dependency })));
  }
  return entries;
}

type Located = LockedPackage & { readonly needed: readonly { readonly name: string; readonly id: string }[] };

function ofWorkspace(lock: PnpmLock, folder: string, packed: (name: string) => PackedPackage): Located {
  const { name, peerDependencies = {}, peerDependenciesMeta = {}, ...rest } = manifest(folder);
  const { engines, bin } = rest as Manifest & { readonly bin?: Versions };
  const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
  const linked = Object.entries(lock.importers[folder]?.dependencies ?? {});
  const needed = [
    ...linked.map(([name, { version }]) => ({ name, id: `${name}@${version.replace(/^link:.*/, "workspace")}` })),
    ...peers.map((name) => ({ name, id: `${name}@workspace` })),
  ];
  const version = (id: string, name: string) => (id.endsWith("@workspace") ? packed(name).version : versionOf(id));
  const dependencies = Object.fromEntries(needed.map(({ name, id }) => [name, version(id, name)]));
  return { ...packed(name), dependencies, engines, bin, needed };
}

function ofRegistry(lock: PnpmLock, id: string): Located {
  const { dependencies = {}, optionalDependencies = {}, optional } = lock.snapshots[id] ?? {};
  const found = lock.packages[id.replace(/\(.*$/, "")];
  if (found === undefined) throw new Error(`pnpm-lock.yaml has no package ${id}`);
  const { os, cpu, libc, engines } = found;
  const needed = Object.entries({ ...dependencies, ...optionalDependencies }).map(([name, version]) => ({
    name,
    id: `${name}@${version}`,
  }));
  const exact = (versions: Versions) =>
    Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, versionOf(`${name}@${version}`)]));
  return {
    version: versionOf(id),
    integrity: found.resolution.integrity,
    optional,
    os,
    cpu,
    libc,
    engines,
    dependencies: exact(dependencies),
    optionalDependencies: exact(optionalDependencies),
    needed,
  };
}

/** Returns `1.0.0` of `@scope/name@1.0.0(peer@2.0.0)`. */
function versionOf(id: string): string {
  return /^@?[^@]+@([^(]+)/.exec(id)?.[1] ?? "";
}

/** Writes `package.json` and `package-lock.json` to the folder `service` beside the tarballs of the packages. */
export function writeServiceLock(tarballs: string): void {
  const files = readdirSync(tarballs);
  const packed = (name: string): PackedPackage => {
    const { version = "" } = manifest(publishedFolders().find((folder) => manifest(folder).name === name) ?? "");
    const file = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    if (!files.includes(file)) throw new Error(`${tarballs} has no ${file}; pack the packages first`);
    const hash = createHash("sha512").update(readFileSync(join(tarballs, file)));
    return { version, resolved: `file:../${file}`, integrity: `sha512-${hash.digest("base64")}` };
  };
  const packages = lockService(packed);
  const folder = join(tarballs, "service");
  mkdirSync(folder, { recursive: true });
  const write = (file: string, content: object) =>
    writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
  write("package.json", { private: true, dependencies: packages[""]?.dependencies });
  write("package-lock.json", { lockfileVersion: 3, requires: true, packages });
}
