import { registerHooks } from "node:module";

/** Makes the defect that the process was started with: in one file, a piece of source becomes another. */
export function patchSource([file, from = "", to = ""]: readonly string[]): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (url !== file) return loaded;
      return { ...loaded, source: String(loaded.source).replace(from, () => to) };
    },
  });
}
