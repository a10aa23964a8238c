export { createPostgresStore, createPostgresStore as createStore, type PostgresStoreOptions } from "./store/store.ts";
