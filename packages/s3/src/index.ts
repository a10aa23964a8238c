export {
  createResultStore,
  type DownloadUrlOptions,
  type ResultStoreOptions,
  type S3ResultStore,
} from "./result-store.ts";
