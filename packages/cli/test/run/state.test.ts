import { expect, it } from "vitest";
import { parseState, queued, stateWord } from "../../src/run/state.ts";

it.each([
  ["queued", "QUERY_STATE_READY"],
  ["running", "QUERY_STATE_RUNNING"],
  ["streaming", "QUERY_STATE_STREAMING_RESULTS"],
  ["success", "QUERY_STATE_SUCCESS"],
  ["failed", "QUERY_STATE_FAILED"],
  ["canceled", "QUERY_STATE_CANCELED"],
])("%s is the word for %s", (word, state) => {
  expect(stateWord(state)).toBe(word);
  for (const text of [word, word.toUpperCase(), state, state.toLowerCase()]) expect(parseState(text)).toBe(state);
});

it("a run waits in the queue in the state that is called queued", () => {
  expect(queued).toBe("QUERY_STATE_READY");
});

it("an unknown state is shown as its name in lower case", () => {
  expect(stateWord("QUERY_STATE_BEING_MADE_READY")).toBe("being made ready");
});

it("a text that is no state is refused with the words of all states", () => {
  const message = "expected states among queued, running, streaming, success, failed, canceled";
  expect(() => parseState("runing")).toThrow(new SyntaxError(message));
});
