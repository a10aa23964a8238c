import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Flipside } from "@flipsidecrypto/sdk";
import { mintNamespace, rowsOf, sql, testsOfSuite } from "./namespace.ts";

describe("the published SDK", { concurrency: true }, () => {
  for (let number = 0; number < testsOfSuite; number += 1) {
    it(`has the rows of its own test, ${number}`, async () => {
      const mock = await mintNamespace();
      await mock.when(sql, { rows: rowsOf("sdk", number) });
      const { rows } = await new Flipside(mock.apiKey, mock.url).query.run({ sql });
      assert.deepEqual(rows, [[`sdk ${number}`], ["fiat 128"]]);
      assert.deepEqual(await mock.statements(), [sql]);
    });
  }
});
