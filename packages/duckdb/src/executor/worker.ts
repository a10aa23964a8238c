/** Process that runs the statements of a caller, one at a time. */
import { admit } from "./gate.ts";
import { serveStatements } from "./statement-serving.ts";

serveStatements(admit);
