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
  type SourceLocation,
} from "@quern/duckdb/loading";
