export {
  createResultStore,
  type ResultStoreOptions,
  type S3ResultStore,
} from "./result-store.ts";
