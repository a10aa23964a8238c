import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startPostgres } from "../../../packages/duckdb/test/sources/postgres.ts";
import { snippets } from "../src/snippets.ts";
import { openGuide } from "../src/tables-guide.ts";
import { root } from "../src/tree.ts";

const hasTrino = existsSync(join(root, "packages/trino"));

it(`runs the commands of the guide on a real PostgreSQL${hasTrino ? "" : ", and not those of Trino, whose package is missing"}`, async () => {
  await using postgres = await startPostgres();
  await postgres.run(
    "CREATE TABLE payments (amount numeric(9,2))",
    "INSERT INTO payments VALUES (10.25), (20.50)",
    "CREATE ROLE quern_reader LOGIN",
    "GRANT SELECT ON payments TO quern_reader",
  );
  const address = postgres.url.replace("//reader@", "//quern_reader@");
  await using guide = await openGuide({ SHOP_DATABASE: address });
  const commands = snippets("docs/guides/other-engines.md").filter(
    ({ language, code }) => language === "sh" && (hasTrino || !code.includes("trino://")),
  );
  expect(commands.length).toBeGreaterThan(3);
  for (const { code, output } of commands) {
    const printed = await guide.run(code);
    if (output !== undefined) expect(printed.trimEnd()).toBe(output.trimEnd());
  }
});
