import { argumentIssues, type ParamsOf, paramsOf, setMember } from "./arguments.ts";
import { budgetCharacters } from "./budget.ts";
import { failureText } from "./failure-text.ts";
import { cutOutput, fits, membersOutput } from "./members-output.ts";
import { type OnProgress, rowsOf } from "./rows.ts";
import { CallFailure, type Service } from "./service.ts";
import type { MembersOutput, Tool } from "./tool.ts";

/** Reply of a tool: an output, or the text of an error. */
export type ToolReply =
  | { readonly output: object; readonly text: string; readonly link?: string | undefined }
  | { readonly error: string };

/**
 * Calls a tool. An error of the call is a reply, so that a language model reads it.
 * @throws the reason of the signal
 */
export async function callTool(
  tool: Tool,
  given: unknown,
  service: Service,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<ToolReply> {
  try {
    const params = paramsOf(tool, given);
    const output =
      tool.output === "rows"
        ? await rowsOf(tool, params, service, signal, onProgress)
        : await membersOf(tool, tool.output, params, service, signal);
    const link = tool.link === undefined ? undefined : String(Object(output)[tool.link]);
    return { output, text: JSON.stringify(output), link };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CallFailure)) throw error;
    return { error: failureText(withArguments(tool, error)) };
  }
}

/** Calls a method. If the output is too large, calls it again for fewer items, then cuts what one item has. */
async function membersOf(
  tool: Tool,
  output: MembersOutput,
  paramsOf: ParamsOf,
  service: Service,
  signal: AbortSignal,
): Promise<object> {
  const params = { ...paramsOf(tool.method) };
  for (;;) {
    const members = membersOutput(await service.call(tool.method, params, signal), output);
    if (fits(members)) return members;
    const size = tool.size === undefined ? 1 : itemsOf(members);
    if (tool.size === undefined || size <= 1) return cutOutput(members);
    const share = budgetCharacters / JSON.stringify(members).length;
    setMember(params, tool.size, Math.max(1, Math.floor(size * share * 0.9)));
  }
}

/** Returns the number of items of the longest list of an output. */
function itemsOf(output: object): number {
  return Math.max(1, ...Object.values(output).map((value) => (Array.isArray(value) ? value.length : 0)));
}

/** Names the arguments instead of the params of the method in an error for invalid params. */
function withArguments(tool: Tool, failure: CallFailure): CallFailure {
  const lines = argumentIssues(tool, failure.details.data);
  return lines.length === 0 ? failure : new CallFailure(lines.join("\n"), failure.details);
}
