import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const packageFolder = join(import.meta.dirname, "..");
const rootModules = join(packageFolder, "../../node_modules");

export interface ProgramCopies extends AsyncDisposable {
  readonly folder: string;
  /** Unchanged programs. */
  readonly original: string;
  /** The same programs, with their import of `@flipsidecrypto/sdk` replaced by `@quern/client/flipside`. */
  readonly moved: string;
}

/** Copies the programs into a project, once unchanged and once with their import replaced. */
export async function copyPrograms(): Promise<ProgramCopies> {
  const folder = await mkdtemp(join(tmpdir(), "quern-programs-"));
  const copies = {
    folder,
    original: join(folder, "original"),
    moved: join(folder, "moved"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
  await Promise.all(
    [copies.original, copies.moved, join(folder, "node_modules")].map((path) => mkdir(path, { recursive: true })),
  );
  await symlink(join(packageFolder, "node_modules/@flipsidecrypto"), join(folder, "node_modules/@flipsidecrypto"));
  await symlink(join(rootModules, "@quern"), join(folder, "node_modules/@quern"));
  const programs = join(import.meta.dirname, "programs");
  for (const file of await readdir(programs)) {
    const source = await readFile(join(programs, file), "utf8");
    await writeFile(join(copies.original, file), source);
    await writeFile(join(copies.moved, file), source.replace('"@flipsidecrypto/sdk"', '"@quern/client/flipside"'));
  }
  return copies;
}

/** Writes a tsconfig.json as such programs have, and returns its path. */
export async function writeProject({ folder }: ProgramCopies): Promise<string> {
  const path = join(folder, "tsconfig.json");
  const compilerOptions = {
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  await writeFile(path, JSON.stringify({ compilerOptions, include: ["original", "moved"] }));
  return path;
}
