const names: ReadonlySet<string> = new Set(["memory", "system", "temp"]);

/** The engine has catalogs of its own, whose names no data can have. */
export function isEngineCatalog(name: string): boolean {
  return names.has(name.toLowerCase());
}
