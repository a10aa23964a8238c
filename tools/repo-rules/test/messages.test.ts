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

it("has a list of all messages that is up to date", () => {
  expect(read(messagesFile), `${messagesFile} is stale; write it with \`npm run messages\``).toBe(messagesText());
});
