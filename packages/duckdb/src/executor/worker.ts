/** The process in which the statements of callers run. */
import { admit } from "./gate.ts";
import { serveStatements } from "./statement-serving.ts";

serveStatements(admit);
