import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifest, root } from "./tree.ts";

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Packages as tarballs, in the form in which they are published. Disposal removes their folder. */
export interface Packed extends Disposable {
  readonly folder: string;
  /** Path of each tarball, by the name of the package. */
  readonly tarballs: ReadonlyMap<string, string>;
  /**
   * Creates a project that depends on the package of `folder`, its required peers (for React also `react-dom`) and the
   * packages in `besides`, installs it, and returns its path. Dependencies between the packages of this repository come
   * from the tarballs.
   * @param besides versions by the name of the package
   */
  install(folder: string, besides?: Readonly<Record<string, string>>): string;
}

export function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Outcome {
  const result = spawnSync(command, args, { cwd, encoding: "utf8", env: { ...process.env, ...env }, timeout: 300_000 });
  if (result.error) throw result.error;
  return result;
}

/** Packs the packages of these folders as tarballs. */
export function pack(folders: readonly string[]): Packed {
  const work = mkdtempSync(join(tmpdir(), "quern-packed-"));
  const tarballs = new Map<string, string>();
  const filters = folders.flatMap((folder) => ["--filter", `./${folder}`]);
  must("pnpm", ["--recursive", ...filters, "pack", "--pack-destination", work], root);
  for (const { name } of folders.map(manifest)) {
    const stem = name.replace("@", "").replace("/", "-");
    const file = readdirSync(work).find((file) => new RegExp(`^${stem}-\\d.*\\.tgz$`).test(file));
    if (file !== undefined) tarballs.set(name, join(work, file));
  }
  const packed = (name: string, version: string) => (tarballs.has(name) ? `file:${tarballs.get(name)}` : version);

  function install(folder: string, besides: Readonly<Record<string, string>> = {}): string {
    const project = mkdtempSync(join(work, "project-"));
    const { name, peerDependencies = {}, peerDependenciesMeta = {} } = manifest(folder);
    const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
    const dependencies: Record<string, string> = { ...besides };
    for (const needed of [name, ...peers]) dependencies[needed] ??= packed(needed, peerDependencies[needed] ?? "");
    if (folder === "packages/react") dependencies["react-dom"] ??= peerDependencies.react ?? "";
    const others = [...tarballs.keys()].filter((other) => !(other in dependencies));
    const overrides = Object.fromEntries(others.map((other) => [other, packed(other, "")]));
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ type: "module", private: true, dependencies, overrides }),
    );
    must("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], project);
    return project;
  }

  return {
    folder: work,
    tarballs,
    install,
    [Symbol.dispose]: () => rmSync(work, { recursive: true, force: true }),
  };
}

function must(command: string, args: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = run(command, args, cwd);
  if (status !== 0) throw new Error(`${command} ${args[0]} in ${cwd} ended with ${status}: ${stderr}${stdout}`);
}
