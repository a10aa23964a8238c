import { describe, expect, it } from "vitest";
import { tools } from "../../../mcp/src/generated/tools.ts";
import { listed, provocationOf, useProvocations } from "../error-provocations.ts";
import { apiKey, type TestServer } from "../fixture.ts";

interface ToolAnswer {
  readonly status: number;
  readonly text: string;
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: object;
    readonly content: [{ readonly text: string }];
  };
}

/** Calls the tool of a method, with the arguments that its params have there. */
async function callTool({ url }: TestServer, method: string, params: object, key = apiKey): Promise<ToolAnswer> {
  const tool = tools.find((each) => each.method.name === method);
  const argumentOf = (member: string) =>
    Object.entries(tool?.params ?? {}).find(([, target]) => target.member.join() === member)?.[0] ?? member;
  const given = Object.fromEntries(Object.entries(params).map(([member, value]) => [argumentOf(member), value]));
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool?.name, arguments: given } };
  const accept = "application/json, text/event-stream";
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept, "x-api-key": key },
    body: JSON.stringify(message),
  });
  const text = await response.text();
  return { status: response.status, text, ...JSON.parse(/\{.*\}/.exec(text)?.[0] ?? "{}") };
}

/** Reasons why a tool never has an error that its method lists. */
const neverOfTools: Readonly<Record<string, string>> = {
  DataProviderNotFound: "no tool has an argument for it",
  UploadNotFound: "no tool has an argument for it",
  "getQueryRunResults ResultFormatNotSupported": "read_rows has no argument for it",
  "getQueryRunResults QueryRunNotFinished": "read_rows waits, and then returns the state",
  "getQueryRunResults RequestedPageSizeTooLarge": "read_rows requests fewer rows",
  "getQueryRunDownload InvalidSortColumn": "export_result has no argument for it",
  "getQueryRunDownload DuckDBError": "export_result filters nothing, so it reads no rows",
  "getQueryRunDownload StorageFull": "export_result filters nothing, so it writes no file",
};

/** Refusals before a tool is called. */
const refusedByHttp: Readonly<Record<string, number>> = {
  AuthorizationError: 401,
  RateLimited: 429,
  StoreUnavailable: 503,
};

describe("the tool of", () => {
  useProvocations();

  const ofTools = listed.filter(
    ([method, errorName]) =>
      tools.some((each) => each.method.name === method) &&
      (neverOfTools[errorName] ?? neverOfTools[`${method} ${errorName}`]) === undefined,
  );

  it.each(ofTools)("%s reports %s as text, without output and code", async (method, errorName) => {
    const { status, text, result } = await provocationOf(method, errorName)(method, callTool);
    expect(text).not.toMatch(/-320[2-9]\d/); // MCP reserves these codes
    expect(status).toBe(refusedByHttp[errorName] ?? 200);
    if (status !== 200) return;
    expect([result?.isError, result?.structuredContent]).toEqual([true, undefined]);
    const name = errorName === "InvalidParams" ? "InvalidArguments" : errorName;
    expect(result?.content[0].text.split(": ")[0]).toBe(name);
  });
});
