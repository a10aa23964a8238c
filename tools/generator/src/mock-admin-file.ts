import { fileURLToPath } from "node:url";
import { mockAdminName } from "./output-file.ts";

/** It is that of this repository, whatever other document the rest is generated from. */
export const mockAdminFile = fileURLToPath(new URL(`../../../${mockAdminName}`, import.meta.url));
