// Process of statements with the gate, which also admits the statement that lists the state of the engine.
// The built package is used, because its processes start faster than from sources.
import { admit } from "../../dist/executor/gate.js";
import { serveStatements } from "../../dist/executor/statement-serving.js";
import { engineState } from "./engine-state.ts";

serveStatements(async (connection, sql, ...rest) =>
  sql === engineState
    ? { prepared: await connection.prepare(sql), pivotTypes: 0, hasFewRows: false }
    : admit(connection, sql, ...rest),
);
