export {
  createResultStore,
  type DownloadUrlOptions,
  type ResultStoreOptions,
  type S3ResultStore,
} from "./result-store.ts";
export type { RowRange } from "./results/fetch.ts";
