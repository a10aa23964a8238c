export {
  addToSource,
  type CheckedTable,
  checkSources,
  type ListedTable,
  type LoadRequest,
  listSources,
  loadSource,
  removeFromSource,
  SourceError,
  type SourcePlace,
} from "@quern/duckdb/loading";
