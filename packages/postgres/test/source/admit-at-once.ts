import { allSlices } from "../../../adapter/test/all-slices.ts";
import { type AdmittedStatement, admission } from "../../src/source/gate.ts";

export const admit = (sql: string): AdmittedStatement => allSlices(admission(sql));
