import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containerInstructions } from "./deploy-example.ts";

/** Folders of the image, which a build writes below a temporary directory. */
const folders = /(?<![\w/])\/(opt\/quern|tmp\/packages|var\/lib\/quern)(?![\w])/g;

/** Directory that stands in for the file system of an image. */
export interface ContainerDirectory extends Disposable {
  /** Returns the place of a path of the image. */
  at(path: string): string;
  /** Commands that were run. */
  readonly commands: readonly string[];
}

/**
 * Runs the instructions of the Containerfile on this machine, without a container: `COPY` and `RUN` in folders below a
 * temporary directory. The base images, the user and the isolation of a container are missing.
 * @param tarballs folder that stands in for `packages/` beside the Containerfile
 * @param owner user id that stands in for the user `node`
 */
export function buildWithoutContainer(tarballs: string, owner: number): ContainerDirectory {
  const rootFolder = mkdtempSync(join(tmpdir(), "quern-image-"));
  chmodSync(rootFolder, 0o755);
  const placed = (text: string): string => text.replaceAll(folders, (path) => `${rootFolder}${path}`);
  const commands: string[] = [];
  let cwd = rootFolder;
  for (const instruction of containerInstructions()) {
    const text = instruction.getArgumentsContent() ?? "";
    switch (instruction.getKeyword()) {
      case "WORKDIR":
        cwd = placed(text);
        mkdirSync(cwd, { recursive: true });
        break;
      case "COPY": {
        const [from = "", to = ""] = text.split(" ");
        // Both stages have the same file system here.
        if (from === "packages/") cpSync(tarballs, placed(to), { recursive: true });
        else if (existsSync(placed(from)))
          cpSync(placed(from), placed(to), { recursive: true, verbatimSymlinks: true });
        else throw new Error(`COPY ${text}: no stand-in for ${from}`);
        break;
      }
      case "RUN": {
        const command = placed(text).replaceAll(/=node\b/g, `=${owner}`);
        mkdirSync(join(rootFolder, "var/lib"), { recursive: true });
        const { status, stderr } = spawnSync("sh", ["-euc", command], { cwd, encoding: "utf8" });
        if (status !== 0) throw new Error(`${text}: ended with ${status}: ${stderr}`);
        commands.push(text);
        break;
      }
    }
  }
  return { at: placed, commands, [Symbol.dispose]: () => rmSync(rootFolder, { recursive: true, force: true }) };
}
