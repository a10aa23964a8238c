/** Longest time that one search of a pattern may take, in milliseconds. Ordinary patterns need less than one. */
const maxMs = 1_000;

type Search = (pattern: RegExp, text: string) => number;

// Without `RegExp.prototype[Symbol.search]` of the pattern itself, which a bounded one replaces.
const unbounded: Search = (pattern, text) => RegExp.prototype[Symbol.search].call(pattern, text);

let bounded: Search | undefined;

/** Node interrupts a script after a time, even within a regular expression. Browsers cannot, but no API reaches a mock there. */
function createSearch(): Search {
  const vm = globalThis.process?.getBuiltinModule?.("node:vm");
  if (vm === undefined) return unbounded;
  const context = vm.createContext({});
  const script = new vm.Script("search()");
  return (pattern, text) => {
    context.search = () => unbounded(pattern, text);
    try {
      return script.runInContext(context, { timeout: maxMs });
    } catch (error) {
      // The error may come from the other context, so it is no instance of `Error` here.
      if (Object(error).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      const reason = `took longer than ${maxMs} ms on ${text.length} characters; avoid nested repetitions such as (a+)+`;
      throw new RangeError(`pattern: ${JSON.stringify(pattern.source)} ${reason}`);
    } finally {
      context.search = undefined;
    }
  };
}

/** Compiles a pattern that comes as text, whose search ends after a time. @throws SyntaxError for one that is not valid */
export function boundedPattern(source: string): RegExp {
  const pattern = new RegExp(source, "i");
  const search = (text: string): number => {
    bounded ??= createSearch();
    return bounded(pattern, text);
  };
  return Object.defineProperty(pattern, Symbol.search, { value: search });
}
