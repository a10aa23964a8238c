export { checkSource, createSourceKind } from "./source/source-kind.ts";
export { createPostgresStore, createPostgresStore as createStore, type PostgresStoreOptions } from "./store/store.ts";
