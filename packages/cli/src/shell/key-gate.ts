import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Keys of a terminal, which wait after a key that may start work. */
export interface KeyGate {
  readonly keys: PassThrough;
  /** Lets keys pass while `isOpen` returns true. */
  release(): void;
  /** Drops the keys that wait, as an interrupt does. */
  discard(): void;
}

/** Ctrl-C, Ctrl-D, tab, the ends of lines and Ctrl-Z. */
const actingKeys: ReadonlySet<string> = new Set(["\u0003", "\u0004", "\t", "\r", "\n", "\u001a"]);

/**
 * Reads the keys of a terminal. Typed or pasted lines pass one by one, so that each stands after its prompt, and below the
 * output of the statement before it.
 * @param isOpen Returns whether the editor waits for keys.
 */
export function createKeyGate(stdin: NodeJS.ReadableStream, isOpen: () => boolean): KeyGate {
  const keys = new PassThrough();
  const decoder = new StringDecoder("utf8");
  let waiting = "";
  let isPassing = false;

  async function pass(): Promise<void> {
    if (isPassing) return;
    isPassing = true;
    while (waiting !== "" && isOpen()) {
      const end = actingEnd(waiting);
      const passed = waiting.slice(0, end);
      waiting = waiting.slice(end);
      keys.write(passed.replace("\r\n", "\r"));
      // The editor handles the key, and may close the gate.
      await nextTurn();
    }
    isPassing = false;
  }

  stdin.on("data", (chunk: Buffer | string) => {
    waiting += typeof chunk === "string" ? chunk : decoder.write(chunk);
    void pass();
  });
  const end = () => void keys.end();
  stdin.on("end", end);
  // A terminal that is gone reports an error, or the end.
  stdin.on("error", end);
  return {
    keys,
    release: () => void pass(),
    discard() {
      waiting = "";
    },
  };
}

/** Returns the end of the first key that may start work, or that of the text. */
function actingEnd(text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    if (actingKeys.has(text[at] ?? "")) return text.startsWith("\r\n", at) ? at + 2 : at + 1;
  }
  return text.length;
}
