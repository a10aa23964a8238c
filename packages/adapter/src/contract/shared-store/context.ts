import type { Store } from "../../store/store.ts";
import type { StoreContext } from "../store/context.ts";

/** Empty store for one case, opened twice, as two servers do. The case sets the clock of both. */
export interface SharedStoreContext extends StoreContext {
  /** Second connection to the records of `store`. */
  readonly another: Store;
}
