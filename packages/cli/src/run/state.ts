export const queued = "QUERY_STATE_READY";

/** Short words for the states of runs. */
const states: Readonly<Record<string, string>> = {
  queued,
  running: "QUERY_STATE_RUNNING",
  streaming: "QUERY_STATE_STREAMING_RESULTS",
  success: "QUERY_STATE_SUCCESS",
  failed: "QUERY_STATE_FAILED",
  canceled: "QUERY_STATE_CANCELED",
};

/** The short word for a state; a state that is not known keeps its own. */
export function stateWord(state: string): string {
  const known = Object.entries(states).find(([, name]) => name === state);
  return known?.[0] ?? state.replace("QUERY_STATE_", "").replaceAll("_", " ").toLowerCase();
}

/** A state by its short word, `running`, or by its name on the wire, `QUERY_STATE_RUNNING`. */
export function parseState(text: string): string {
  const state = states[text.toLowerCase()] ?? text.toUpperCase();
  if (Object.values(states).includes(state)) return state;
  throw new SyntaxError(`expected one of ${Object.keys(states).join(", ")}, received ${JSON.stringify(text)}`);
}
