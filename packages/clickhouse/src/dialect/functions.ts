/**
 * Functions that reach files, other servers or programs, read tables whose names are strings, or change the server. Table
 * functions of ClickHouse 26.9, and functions of expressions with such effects.
 */
const refusedFunctions: ReadonlySet<string> = new Set([
  ...["file", "filecluster", "filesystem", "url", "urlcluster", "executable", "python", "input", "eval"],
  ...["remote", "remotesecure", "cluster", "clusterallreplicas", "merge", "viewexplain"],
  ...["mysql", "postgresql", "sqlite", "mongodb", "redis", "odbc", "jdbc", "bigquery", "ytsaurus"],
  ...["s3", "s3cluster", "gcs", "oss", "cosn", "hdfs", "hdfscluster", "azureblobstorage", "azureblobstoragecluster"],
  ...["hudi", "hudicluster", "arrowflight", "arrowstream", "prometheusquery", "prometheusqueryrange"],
  ...["generateserialid", "hascolumnintable", "reversednsquery", "catboostevaluate", "modelevaluate"],
  ...["airedact", "aisimilarity", "aifilter", "aiclassify", "aiembed", "aiextract", "aigenerate", "aitranslate"],
]);

/** Families of table functions with a name for each storage, such as `icebergS3Cluster`. */
const refusedFamilies = /^(?:(?:iceberg|deltalake|paimon)(?:s3|azure|hdfs|local)?(?:cluster)?|mergetree\w+)$/;

/** Returns true if a function may do more than read the tables that the statement names. */
export function isRefusedFunction(name: string): boolean {
  return refusedFunctions.has(name) || refusedFamilies.test(name);
}

/** Tables of the database `system` that have no data of users. */
const readableSystemTables: ReadonlySet<string> = new Set([
  ...["one", "numbers", "numbers_mt", "zeros", "zeros_mt", "primes", "tables", "columns", "databases", "functions"],
  ...["data_type_families", "formats", "time_zones", "table_functions", "keywords"],
]);

export function isReadableSystemTable(name: string): boolean {
  return readableSystemTables.has(name);
}
