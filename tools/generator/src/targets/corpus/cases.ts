import type { Case, Corpus, Expectation, Request } from "../../../../../packages/conformance/src/server/corpus.ts";
import { jsonText } from "../../layout.ts";
import type { ExampleModel, MethodModel, Model } from "../../model.ts";
import { kebabCase } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { noticeLines } from "../../output-file.ts";
import type { Edge } from "./edge.ts";
import { edgesOf } from "./edges.ts";
import { partsOf } from "./long-value.ts";

/** Error codes that JSON-RPC itself defines. A server must not answer a valid call with one of them. */
const refusals = [-32700, -32600, -32601, -32602, -32603];

/** Returns the cases of a method: the server accepts each example, and checks each edge of the params. */
export function corpusFile(model: Model, method: MethodModel): OutputFile {
  const content: Corpus = {
    title: `${method.name}: cases generated from the OpenRPC document`,
    profile: "schemas",
    description: noticeLines().join(" "),
    cases: numbered([
      ...method.examples.map((example) => exampleCase(method, example)),
      ...edgesOf(model, method).map((edge) => edgeCase(method, edge)),
    ]),
  };
  return { path: `${method.slug}.json`, text: `${jsonText(content)}\n` };
}

/** Returns cases with unique ids, because enumerated values may differ by case only, and examples may have any name. */
function numbered(cases: readonly Case[]): readonly Case[] {
  const times = new Map<string, number>();
  return cases.map((one) => {
    const time = (times.get(one.id) ?? 0) + 1;
    times.set(one.id, time);
    return time === 1 ? one : { ...one, id: `${one.id}-${time}` };
  });
}

function exampleCase(method: MethodModel, example: ExampleModel): Case {
  return {
    id: `${method.slug}/example/${kebabCase(example.name)}`,
    level: "MUST",
    rule: `The example "${example.name}" is accepted.`,
    source: example.pointer,
    steps: [{ send: request(method, example.params), expect: understood }],
  };
}

function edgeCase(method: MethodModel, edge: Edge): Case {
  return {
    id: [method.slug, ...edge.place, edge.label].join("/"),
    level: "PROFILE",
    rule: `${edge.rule}.`,
    source: edge.source,
    steps: [{ send: request(method, edge.params), expect: edge.isValid ? understood : refused(edge) }],
  };
}

/** Expects a result, or an error that JSON-RPC itself does not define: the run or data of an example may not exist. */
const understood: Expectation = { reply: { id: 1, notError: refusals } };

function refused(edge: Edge): Expectation {
  const values =
    edge.fault === undefined ? {} : { values: { "/error/data/issues/0/pointer": `/params/0${edge.fault}` } };
  return { reply: { id: 1, error: -32602, ...values } };
}

function request(method: MethodModel, params: unknown): Request {
  const call = { jsonrpc: "2.0", method: method.name, params: [params], id: 1 };
  const text = JSON.stringify(call);
  const parts = partsOf(withoutPlaceholders(text));
  if (parts !== undefined) return { parts };
  return withoutPlaceholders(text) === text ? { json: call } : { text: withoutPlaceholders(text) };
}

/**
 * Returns JSON in which no string looks like a placeholder of the corpus: `${b}` becomes `\u0024{b}`, which is the same
 * text.
 */
function withoutPlaceholders(json: string): string {
  return json.replaceAll("${", "\\u0024{");
}
