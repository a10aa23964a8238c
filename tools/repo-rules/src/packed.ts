import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manifest, root } from "./tree.ts";

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Project that depends on a package of this repository. */
interface Project {
  /** Folder of the package. The project also depends on its required peers, and for React on `react-dom`. */
  readonly of: string;
  /** Versions of other packages, by name. */
  readonly besides?: Readonly<Record<string, string>>;
}

/** Packages as tarballs, in the form in which they are published. Disposal removes their folder. */
export interface Packed extends Disposable {
  readonly folder: string;
  /** Path of each tarball, by the name of the package. */
  readonly tarballs: ReadonlyMap<string, string>;
  /**
   * Installs projects, and returns their folders. Each package finds only its declared dependencies. Those between the
   * packages of this repository come from the tarballs.
   */
  install(...projects: readonly Project[]): string[];
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
  const files = Object.fromEntries([...tarballs].map(([name, path]) => [name, `file:${path}`]));

  /** Returns the dependencies of a project. */
  function dependencies({ of, besides }: Project): Readonly<Record<string, string>> {
    const { name, peerDependencies = {}, peerDependenciesMeta = {} } = manifest(of);
    const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
    const required = Object.fromEntries(peers.map((peer) => [peer, files[peer] ?? peerDependencies[peer] ?? ""]));
    const dom = of === "packages/react" && { "react-dom": peerDependencies.react };
    return { ...required, ...dom, [name]: files[name] ?? "", ...besides };
  }

  /** One installation for all: npm would need one for each project. `tools/release` installs with npm. */
  function install(...projects: readonly Project[]): string[] {
    const workspace = mkdtempSync(join(work, "projects-"));
    const created = projects.map((project, index) => {
      const folder = join(workspace, `project-${index}`);
      mkdirSync(folder);
      const json = { name: `project-${index}`, type: "module", private: true, dependencies: dependencies(project) };
      writeFileSync(join(folder, "package.json"), JSON.stringify(json));
      return folder;
    });
    const settings = {
      packages: ["project-*"],
      overrides: files,
      // A package finds only its declared dependencies, and the types of its peers.
      hoistPattern: ["@types/*"],
      minimumReleaseAge: 0, // recently published versions may be installed
      strictDepBuilds: false,
    };
    writeFileSync(join(workspace, "pnpm-workspace.yaml"), JSON.stringify(settings));
    writeFileSync(join(workspace, "package.json"), "{}");
    must("pnpm", ["install", "--prefer-offline"], workspace);
    return created;
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
