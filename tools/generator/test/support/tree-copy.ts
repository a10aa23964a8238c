import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));

/** Exit code and output of a program. */
export interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

/** Copy of the packages and the document of the repository, which a test may change. */
export interface TreeCopy {
  readonly root: string;
  read(path: string): string;
  write(path: string, text: string): void;
  /** Links a package, so that another can import it by name. */
  link(target: string, path: string): void;
  /** Runs a Node program with the root as its working directory. */
  run(program: string, ...args: readonly string[]): Promise<Outcome>;
  /** Compiles packages one after another. Returns the outcome of the first failure, or of the last package. */
  compile(...packages: readonly string[]): Promise<Outcome>;
  [Symbol.dispose](): void;
}

/** Imports the declarations of all packages with generated code. They are checked there, and need not be in each package. */
const importer = "react";

const omitted = new Set(["dist", "test", "probe", ".turbo"]);

/** Returns true for the build of a package without generated code, which stays valid for another document. */
function isReusable(path: string): boolean {
  return basename(path) === "dist" && !existsSync(join(dirname(path), "src/generated"));
}

export function copyTree(): TreeCopy {
  // Real path, because the program compares its path with it.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "quern-tree-")));
  for (const folder of ["packages", "spec"]) {
    cpSync(join(repository, folder), join(root, folder), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !omitted.has(basename(source)) || isReusable(source),
    });
  }
  for (const file of ["package.json", "tsconfig.base.json"]) cpSync(join(repository, file), join(root, file));
  // Packages are linked relative to each other in the copy; other dependencies come from the repository.
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"), "junction");

  const run = (program: string, ...args: readonly string[]) => runNode(root, program, args);
  const copyIntoImporter = join(root, "packages/query-options/bin/copy-into.mjs");
  return {
    root,
    run,
    read: (path) => readFileSync(join(root, path), "utf8"),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    link(target, path) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(join(root, target), join(root, path), "junction");
    },
    async compile(...packages) {
      let outcome: Outcome = { status: 0, output: "" };
      for (const name of packages) {
        if (name === importer)
          await runNode(join(root, "packages", importer), copyIntoImporter, ["@tanstack/react-query"]);
        // Several threads would check the same declarations once each.
        const options = ["--singleThreaded", ...(name === importer ? [] : ["--skipLibCheck"])];
        outcome = await run(join(repository, "node_modules/typescript/bin/tsc"), "-p", `packages/${name}`, ...options);
        if (outcome.status !== 0) break;
      }
      return outcome;
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function runNode(cwd: string, program: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const parts: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => parts.push(part.toString()));
    child.once("error", reject).once("close", (status) => resolve({ status, output: parts.join("") }));
  });
}
