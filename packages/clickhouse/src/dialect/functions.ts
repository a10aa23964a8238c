const words = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(" ")));

/**
 * Table functions that read no table, file or server besides those that their text names, where the gate sees them.
 * ClickHouse itself refuses `zeros`, `format` and `dictionary` with `readonly=1`.
 */
const tableFunctions = words(
  "numbers numbers_mt primes generateseries generate_series generaterandom values sqlstandardvalues view",
);

/**
 * Other table functions of ClickHouse 26.9 and before: they reach files, servers and programs, or tables by a name that
 * is a value. A long test fails for a table function of the engine that is in neither list.
 */
const refusedTableFunctions = words(
  "file filecluster filesystem url urlcluster executable python input eval null fuzzjson fuzzquery remote remotesecure",
  "cluster clusterallreplicas loop merge viewexplain viewifpermitted mysql postgresql sqlite mongodb redis odbc jdbc",
  "bigquery ytsaurus s3 s3cluster gcs oss cosn hdfs hdfscluster azureblobstorage azureblobstoragecluster hudi",
  "hudicluster arrowflight arrowstream prometheusquery prometheusqueryrange timeseriesdata timeseriesmetricfamilies",
  "timeseriesmetrics timeseriessamples timeseriesselector timeseriestags",
);

/** Functions of expressions that reach files, servers or programs, wait, write to the log, or show the server itself. */
const refusedFunctions = words(
  "generateserialid hascolumnintable reversednsquery catboostevaluate modelevaluate sleep sleepeachrow logtrace trap",
  "airedact aisimilarity aifilter aiclassify aiembed aiextract aigenerate aitranslate",
  "addresstoline addresstolinewithinlines addresstosymbol flamegraph showcertificate",
  "filesystemavailable filesystemcapacity filesystemfree filesystemunreserved hostname fqdn fullhostname displayname",
  "getsetting getsettingordefault getserversetting getmergetreesetting getmacro globalvariable getserverport tcpport",
  "getclienthttpheader currentrequesturl currenthandler serveruuid buildid getoskernelversion zookeepersessionuptime",
  "currentprofiles enabledprofiles defaultprofiles",
);

/** Families of table functions with a name for each storage, such as `icebergS3Cluster`. */
const refusedFamilies = /^(?:(?:iceberg|deltalake|paimon)(?:s3|azure|hdfs|local)?(?:cluster)?|mergetree[a-z]+)$/;
const scalarsOfFamily = words("mergetreepartinfo");

/** Returns true if a function, by its name in lower case, may do more than read the tables that the statement names. */
export function isRefusedFunction(name: string): boolean {
  if (refusedTableFunctions.has(name) || refusedFunctions.has(name)) return true;
  return name.length < 40 && refusedFamilies.test(name) && !scalarsOfFamily.has(name);
}

/** Returns true for a refused function whose name alone can be a value, such as in `arrayMap(file, …)` and `APPLY(file)`. */
export function isRefusedValue(name: string): boolean {
  return name === "file" || refusedFunctions.has(name);
}

/** Returns true for a word before a function that is passed by its name. */
export function takesFunction(name: string): boolean {
  return name === "apply" || name.startsWith("array") || name.startsWith("map");
}

/** Returns true for a function that can stand where a table is expected. */
export function isTableFunction(name: string): boolean {
  return tableFunctions.has(name);
}

/** Tables of the databases of ClickHouse itself that have no data of users. */
const readableTables: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "system",
    words(
      "one numbers numbers_mt zeros zeros_mt primes tables columns databases functions data_type_families formats",
      "time_zones table_functions keywords",
    ),
  ],
  [
    "information_schema",
    words(
      "tables columns schemata views key_column_usage referential_constraints statistics engines character_sets",
      "collations",
    ),
  ],
]);

/** Returns true unless the database is one of ClickHouse itself, and the table can have data of users. */
export function isReadableTable(database: string, table: string): boolean {
  return readableTables.get(database)?.has(table) ?? true;
}
