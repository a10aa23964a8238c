import type { TableLoad } from "../sources/origin.ts";

/** The engine takes names that differ in case for one: a load calls a catalog and a schema as those before it do. */
export function inKnownNames(load: TableLoad, loads: readonly TableLoad[], source: string): TableLoad {
  const catalog = known(load.catalog, [...loads.map((each) => each.catalog), source]);
  const schemas = loads.flatMap((each) => (each.catalog === catalog && each.schema) || []);
  return { ...load, catalog, schema: load.schema && known(load.schema, ["main", ...schemas]) };
}

function known(name: string, names: readonly string[]): string {
  return names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
}
