import type { SourceFilesContext } from "../../src/contract/source-files.ts";
import type { OpenedFile, SourceFile, SourceFiles, SourceIndex } from "../../src/source-files.ts";

/** Deviation of an implementation from the contract. */
export type FilesFault =
  | "index is always replaced"
  | "index keeps its version"
  | "known index is copied"
  | "known index is never renewed"
  | "each call fetches"
  | "each use fetches"
  | "file is replaced"
  | "missing file is opened"
  | "size is not checked"
  | "checksum is not checked"
  | "sweep of copies removes copies in use"
  | "second release counts"
  | "copy stays after its last release"
  | "sweep keeps files"
  | "sweep keeps incomplete files"
  | "sweep asks for complete files only"
  | "sweep passes no time"
  | "sweep removes the index";

interface StoredFile {
  text: string;
  readonly checksum: string;
  readonly isComplete: boolean;
}

const checksumOf = (text: string): string => `sum of ${text}`;

/** Source files in memory, which two servers share, with at most one fault. */
export function memoryFiles(fault?: FilesFault): SourceFilesContext {
  const disk = new Map<string, string>();
  const stored = new Map<string, StoredFile>();
  const fetched = new Map<string, number>();
  let index: SourceIndex | undefined;
  let versions = 0;
  let paths = 0;

  function server(): SourceFiles {
    const copies = new Map<string, { readonly path: string; uses: number; isSwept: boolean }>();

    function copyOf(file: SourceFile, text: string) {
      const known = copies.get(file.name);
      if (known !== undefined && fault !== "each call fetches") return known;
      fetched.set(file.name, (fetched.get(file.name) ?? 0) + 1);
      const copy = { path: `/copies/${++paths}`, uses: 0, isSwept: false };
      disk.set(copy.path, text);
      copies.set(file.name, copy);
      return copy;
    }

    return {
      address: "memory",
      maxCopyBytes: 1e9,
      async index(known) {
        if (known !== undefined && fault === "known index is never renewed") return known;
        const isKnown = known?.version === index?.version && fault !== "known index is copied";
        return isKnown ? known : index && { ...index };
      },
      async replaceIndex(before, text) {
        if (before?.version !== index?.version && fault !== "index is always replaced") return false;
        if (fault !== "index keeps its version" || index === undefined) versions += 1;
        index = { text, version: String(versions) };
        return true;
      },
      async add(name, path) {
        if (stored.has(name) && fault !== "file is replaced") throw new Error(`The file exists already: ${name}`);
        const text = disk.get(path) ?? "";
        stored.set(name, { text, checksum: checksumOf(text), isComplete: true });
        return { name, bytes: text.length, checksum: checksumOf(text) };
      },
      async open(file): Promise<OpenedFile | undefined> {
        const found =
          stored.get(file.name) ?? (fault === "missing file is opened" ? { text: "", checksum: "" } : undefined);
        if (found === undefined) return undefined;
        const isOfSize = found.text.length === file.bytes || fault === "size is not checked";
        if (!isOfSize && fault !== "missing file is opened") throw new Error(`Wrong size: expected ${file.bytes}`);
        if (checksumOf(found.text) !== file.checksum && fault !== "checksum is not checked")
          if (fault !== "missing file is opened") throw new Error("Wrong checksum");
        const copy = copyOf(file, found.text);
        copy.uses += 1;
        let isReleased = false;
        return {
          path: copy.path,
          async release() {
            if (isReleased && fault !== "second release counts") return;
            isReleased = true;
            copy.uses -= 1;
            if (copy.uses === 0 && fault === "each use fetches") copies.delete(file.name);
            if (copy.uses > 0 || !copy.isSwept || fault === "copy stays after its last release") return;
            disk.delete(copy.path);
          },
        };
      },
      async sweepCopies(isNeeded) {
        for (const [name, copy] of copies) {
          if (isNeeded(name)) continue;
          copies.delete(name);
          copy.isSwept = true;
          if (copy.uses === 0 || fault === "sweep of copies removes copies in use") disk.delete(copy.path);
        }
      },
      async sweep(isNeeded) {
        if (fault === "sweep removes the index") index = undefined;
        for (const [name, { isComplete }] of [...stored]) {
          if (!isComplete && fault === "sweep asks for complete files only") {
            stored.delete(name);
            continue;
          }
          const isKept = isNeeded(name, fault === "sweep passes no time" ? 0 : Date.now());
          if (isKept || fault === "sweep keeps files") continue;
          if (isComplete || fault !== "sweep keeps incomplete files") stored.delete(name);
        }
      },
      async close() {},
    };
  }

  return {
    files: server(),
    another: server(),
    async write(text) {
      const path = `/local/${++paths}`;
      disk.set(path, text);
      return path;
    },
    async read(path) {
      const text = disk.get(path);
      if (text === undefined) throw new Error(`File not found: ${path}`);
      return text;
    },
    async damage(name) {
      const file = stored.get(name);
      if (file !== undefined) file.text = `X${file.text.slice(1)}`;
    },
    async addIncomplete(name) {
      stored.set(name, { text: "half", checksum: "", isComplete: false });
    },
    storedFiles: async () => [...stored.keys()].sort(),
    fetches: (name) => fetched.get(name) ?? 0,
  };
}
