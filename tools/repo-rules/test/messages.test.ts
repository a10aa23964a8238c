import { expect, it } from "vitest";
import { messagesFile, messagesIn, messagesText } from "../src/messages.ts";
import { read } from "../src/tree.ts";

it("lists each message of a source file in its order, with the expressions in it", () => {
  const source = `
    import value from "two words";
    type Mode = "one mode" | "other mode";
    const error = new Error(\`invalid limit: \${limits.map(
      (limit) => limit.name,
    ).join(", ")}; use a number\`);
    log.error("the store is " + state + " away");
    const command = { brief: "Start the service.", key: "one-word", sql: "SELECT every column" };
  `;
  expect(messagesIn("sample.ts", source)).toEqual([
    'invalid limit: {limits.map( (limit) => limit.name, ).join(", ")}; use a number',
    "the store is {state} away",
    "Start the service.",
  ]);
});

it("omits SQL, HTTP and XML, directives, names of members, and texts that are only compared", () => {
  const source = `
    "use client";
    const types = { "double precision": "DOUBLE", text: "Name of the type." };
    if (error.message === "connection was reset" || text.startsWith("Binder Error")) throw new Error("No such column.");
    const sql = [\`\${cell} AS c\${index}\`, "\\n) AS result", \`(\${left} IS NULL OR it)\`, "SAVEPOINT before change"];
    const other = ["TRY_CAST(value AS type)", "coalesce(a, b) or null", \`LIMIT \${count} of rows\`, "EXISTS (select one)"];
    const part = ["name FROM duckdb_secrets() of it", "state IN (SELECT value of it)"];
    const wire = ["HTTP/1.1 200 OK, all right", "<h1>all is well</h1>", "text/csv; charset of text", "content-type: some json"];
  `;
  expect(messagesIn("sample.ts", source)).toEqual(["Name of the type.", "No such column."]);
});

it("lists messages about SQL, and messages that begin with an expression", () => {
  const source = `
    throw new Error("Statement not allowed: send one SELECT or EXPLAIN.");
    throw new Error(\`\${name} IS a reserved word; choose another\`);
    throw new Error(\`\${kind} not allowed: \${name}; remove it AS soon as possible\`);
    const text = found.includes(name) ? "the name is known" : \`as \${name} is unknown\`;
    const help = { flag: "Set the limit." , other: "Select the rows." };
    log.error(isHttp ? "HTTP/1.0 error of the proxy" : "the <status> is unknown");
    throw new Error(when + " is over" + "; wait for the next one");
  `;
  expect(messagesIn("sample.ts", source)).toEqual([
    "Statement not allowed: send one SELECT or EXPLAIN.",
    "{name} IS a reserved word; choose another",
    "{kind} not allowed: {name}; remove it AS soon as possible",
    "the name is known",
    "as {name} is unknown",
    "Set the limit.",
    "Select the rows.",
    "HTTP/1.0 error of the proxy",
    "the <status> is unknown",
    "{when} is over; wait for the next one",
  ]);
});

it("has a list of all messages that is up to date", () => {
  expect(read(messagesFile), `${messagesFile} is stale; write it with \`npm run messages\``).toBe(messagesText());
});
