export { rowKeys, uniqueNames } from "@quern/protocol/column-names";
