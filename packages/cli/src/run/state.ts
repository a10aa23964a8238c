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

/** States that a run can leave. */
export const unfinishedStates: readonly string[] = [queued, "QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS"];

/** Short words of all states. */
export const stateWords: readonly string[] = Object.keys(states);

/** Returns the short word for a state. An unknown state becomes its name in lower case. */
export function stateWord(state: string): string {
  const known = Object.entries(states).find(([, name]) => name === state);
  return known?.[0] ?? state.replace("QUERY_STATE_", "").replaceAll("_", " ").toLowerCase();
}

/** Parses the short word of a state, `running`, or its name on the wire, `QUERY_STATE_RUNNING`. @throws {SyntaxError} */
export function parseState(text: string): string {
  const state = states[text.toLowerCase()] ?? text.toUpperCase();
  if (Object.values(states).includes(state)) return state;
  throw new SyntaxError(`expected states among ${Object.keys(states).join(", ")}`);
}
