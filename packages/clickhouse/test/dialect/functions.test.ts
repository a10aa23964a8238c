import { expect, it } from "vitest";
import { isReadableSystemTable, isRefusedFunction } from "../../src/dialect/functions.ts";

const refused = `
  file filecluster filesystem url urlcluster executable python input eval remote remotesecure cluster clusterallreplicas
  merge viewexplain mysql postgresql sqlite mongodb redis odbc jdbc bigquery ytsaurus s3 s3cluster gcs oss cosn hdfs
  hdfscluster azureblobstorage azureblobstoragecluster hudi hudicluster arrowflight arrowstream prometheusquery
  prometheusqueryrange generateserialid hascolumnintable reversednsquery catboostevaluate modelevaluate airedact
  aisimilarity aifilter aiclassify aiembed aiextract aigenerate aitranslate mergetreeindex iceberg icebergs3
  icebergazure iceberghdfs iceberglocal icebergcluster icebergs3cluster deltalake deltalakecluster paimon paimons3
`;

it.each(refused.trim().split(/\s+/))("refuses the function %s", (name) => {
  expect([name, `x${name}`, `${name} `].map(isRefusedFunction)).toEqual([true, false, false]);
});

const readable = `
  one numbers numbers_mt zeros zeros_mt primes tables columns databases functions data_type_families formats time_zones
  table_functions keywords
`;

it.each(readable.trim().split(/\s+/))("reads the table system.%s", (name) => {
  expect(isReadableSystemTable(name)).toBe(true);
});

it.each(["", "users", "query_log", "processes"])("does not read the table system.%s", (name) => {
  expect(isReadableSystemTable(name)).toBe(false);
  expect(isRefusedFunction(name)).toBe(false);
});
