import { StringDecoder } from "node:string_decoder";
import type { Context } from "./command-function.ts";
import { StoppedError } from "./errors/cli-error.ts";
import { replaceLine } from "./output/terminal.ts";

const enter = /[\r\n]/;
const interrupt = "\u0003";
const endOfInput = "\u0004";
const backspace = /[\b\u007f]/;

/**
 * Asks for a line on a terminal. The question and, unless it is hidden, the answer are shown on stderr.
 * @throws {StoppedError} The user presses Ctrl-C, or Ctrl-D before the first character.
 */
export async function ask(
  { process: { stdin, stderr } }: Context,
  question: string,
  { isHidden = false } = {},
): Promise<string> {
  // In raw mode, the terminal does not show the characters, so that a key stays secret, even if it comes with the question.
  stdin.setRawMode(true);
  stderr.write(question);
  const decoder = new StringDecoder();
  let answer = "";
  try {
    return await new Promise<string>((resolve, reject) => {
      const stopped = () => reject(new StoppedError("SIGINT", "interrupted.", undefined));
      stdin.on("data", read).on("end", stopped).resume();

      function read(chunk: Buffer): void {
        for (const character of decoder.write(chunk)) {
          if (enter.test(character)) return void resolve(answer);
          if (character === interrupt || (character === endOfInput && answer === "")) return void stopped();
          if (backspace.test(character)) erase();
          else if (character >= " ") append(character);
        }
      }
    });
  } finally {
    stdin.removeAllListeners("data").removeAllListeners("end").pause();
    stdin.setRawMode(false);
    stderr.write("\n");
  }

  function append(character: string): void {
    answer += character;
    if (!isHidden) stderr.write(character);
  }

  function erase(): void {
    const shorter = [...answer].slice(0, -1).join("");
    // The terminal's own function, because control characters in texts are escaped.
    if (!isHidden && shorter !== answer) replaceLine(stderr, question + shorter);
    answer = shorter;
  }
}
