import document from "@quern/spec/openrpc.json" with { type: "json" };
import { Ajv } from "ajv";
import formats from "ajv-formats";

const ajv = new Ajv({ strict: false });
formats.default(ajv);
const { components } = document;
const invalidParams = { code: -32602, message: "Invalid params", data: { issues: [] } };

/**
 * Code that a user of a library would write: dispatch by method, params checked by the schema, examples of the document
 * as results.
 */
export const methods = document.methods.map(({ name, params, examples }) => {
  const isValid = ajv.compile({ ...params[0].schema, components });
  /** @throws The error object of the answer. */
  function answer(given) {
    if (!Array.isArray(given) || given.length !== 1 || !isValid(given[0])) throw invalidParams;
    const { queryRunId } = given[0];
    const fitting = examples.filter((example) => example.params[0].value.queryRunId === queryRunId);
    if (queryRunId === undefined) return examples[0].result.value;
    // The last example of a poll has a final state.
    if (fitting.length > 0) return fitting.at(-1).result.value;
    throw { ...components.errors.QueryRunNotFound, data: { queryRunId } };
  }
  return { name, answer };
});
