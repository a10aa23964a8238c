/** Process that runs a statement of a caller. */
import { admit } from "./gate.ts";
import { serveStatements } from "./statement-serving.ts";

serveStatements(admit);
