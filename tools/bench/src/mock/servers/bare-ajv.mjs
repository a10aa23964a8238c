import document from "@quern/spec/openrpc.json" with { type: "json" };
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { echo } from "./echo.mjs";

const ajv = addFormats.default(new Ajv({ strict: false }));
const { params, result } = document.methods.find(({ name }) => name === "getQueryRun");
const [areParams, isResult] = [params[0].schema, result.schema].map((schema) =>
  ajv.compile({ ...schema, components: document.components }),
);

echo((sent, answered) => {
  if (!areParams(sent) || !isResult(answered)) throw new Error("this is not what the document says");
});
