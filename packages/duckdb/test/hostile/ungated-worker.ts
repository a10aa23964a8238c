// A process that runs whatever it is given, so that only what lies below the gate holds it.
import { StatementType } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { onEngine } from "../../src/executor/engine-error.ts";
import { serveStatements } from "../../src/executor/statement-serving.ts";

serveStatements((connection, sql) =>
  onEngine(sql, async () => {
    const statements = await connection.extractStatements(sql);
    const last = await statements.prepare(statements.count - 1);
    // One that reads is run by the service's own COPY, as behind the gate.
    if (statements.count === 1 && last.statementType === StatementType.SELECT) return { prepared: last, pivotTypes: 0 };
    try {
      await connection.run(sql);
    } finally {
      connection.closeSync(); // which is when the engine writes its log
    }
    throw new StatementError({ name: "WasRun", message: "It was run, and has no rows.", data: { category: "USER" } });
  }),
);
