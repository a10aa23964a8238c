export { checkSource } from "./address.ts";
export { createSourceKind } from "./source-kind.ts";
