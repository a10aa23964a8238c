export { fetchObjects } from "./objects.ts";
export {
  createResultStore,
  type ResultStoreOptions,
  type S3ResultStore,
} from "./result-store.ts";
export { openSourceFiles, type SourceFilesOptions } from "./source-files.ts";
