// Process that runs any statement, so that only the layers below the gate protect the service.
import { StatementType } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
// The built package is used, because its processes start faster than from sources.
import { onEngine } from "../../dist/executor/engine-error.js";
import { serveStatements } from "../../dist/executor/statement-serving.js";

serveStatements((connection, sql) =>
  onEngine(sql, async () => {
    const statements = await connection.extractStatements(sql);
    const last = await statements.prepare(statements.count - 1);
    // A statement that reads runs in the COPY of the service, as with the gate.
    if (statements.count === 1 && last.statementType === StatementType.SELECT)
      return { prepared: last, pivotTypes: 0, hasFewRows: false };
    try {
      await connection.run(sql);
    } finally {
      connection.closeSync(); // the engine writes its log then
    }
    throw new StatementError({ name: "WasRun", message: "It was run, and has no rows.", data: { category: "USER" } });
  }),
);
