import { registerHooks } from "node:module";

/** Applies the defect of the process arguments: replaces a text in one file as it is loaded. */
export function patchSource([file, from = "", to = ""]: readonly string[]): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (url !== file) return loaded;
      return { ...loaded, source: String(loaded.source).replace(from, () => to) };
    },
  });
}
