export { checkSource } from "./address.ts";
export { checkStatements } from "./inspection.ts";
export { createSourceKind } from "./source-kind.ts";
