import document from "@quern/spec/openrpc.json" with { type: "json" };
import { Ajv } from "ajv";
import formats from "ajv-formats";

const ajv = new Ajv({ strict: false });
formats.default(ajv);
const { components } = document;
const invalidParams = { code: -32602, message: "Invalid params", data: { issues: [] } };

/** What a careful user of a library writes around it: by method, params by the schema, and the document's examples as results. */
export const methods = document.methods.map(({ name, params, examples }) => {
  const isValid = ajv.compile({ ...params[0].schema, components });
  /** @throws the error object to answer with */
  function answer(given) {
    if (!Array.isArray(given) || given.length !== 1 || !isValid(given[0])) throw invalidParams;
    const { queryRunId } = given[0];
    const fitting = examples.filter((example) => example.params[0].value.queryRunId === queryRunId);
    if (queryRunId === undefined) return examples[0].result.value;
    // The last look at a run is at its end.
    if (fitting.length > 0) return fitting.at(-1).result.value;
    throw { ...components.errors.QueryRunNotFound, data: { queryRunId } };
  }
  return { name, answer };
});
