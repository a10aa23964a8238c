export { rowKeys } from "@quern/protocol/column-names";
