/** `JSON.parse` with the third argument of its reviver, which TypeScript's ES2023 library does not declare yet. */
type ParseWithSource = (
  text: string,
  revive: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
) => unknown;

// All supported engines pass the argument (Node 21, Chrome 114, Firefox 135, Safari 18.4). Without it, numbers lose
// digits as in `JSON.parse`, and a call whose id is a number but no safe integer is answered with an error.
export const parseWithSource = JSON.parse as ParseWithSource;

const maxDigits = 38;

/**
 * Number of a request that a double cannot hold, such as 9007199254740993, or -0.0, which JSON of JavaScript loses. As JSON it is an object with its text. It is a
 * class, so that a checker can tell it from an object that a client has sent.
 */
export class ExactNumber {
  readonly exactNumber: string;

  constructor(text: string) {
    this.exactNumber = text;
  }

  /** True for at most 38 digits without an exponent, which the integers and decimals of SQL engines hold. */
  get isDecimal(): boolean {
    return /^-?\d+(?:\.\d+)?$/.test(this.exactNumber) && this.exactNumber.replace(/\D/g, "").length <= maxDigits;
  }
}

/** Matches a number that a double may not hold: with 16 digits, with an exponent of three, or a negative zero. */
const longNumber = /(?:^|[[,:\s])-?(?:\d[\d.]{15}|[\d.]+[eE][+-]?\d{3}|(?<=-)0(?:\.0*)?(?![\d.eE]))/;

/**
 * Parses JSON. A number that a double cannot hold becomes an {@link ExactNumber}.
 * @throws {SyntaxError}
 */
export function parseExactly(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return parseWithSource(text, (_, value, context) => {
    const source = context?.source;
    return typeof value !== "number" || source === undefined || isHeld(source, value) ? value : new ExactNumber(source);
  });
}

/** Longest text that is compared with its double; `toPrecision` writes at most 100 digits. */
const maxCompared = 100;

/**
 * Returns true if a double has the value of a text: the integer itself, or the digits of a fraction that the text has. It
 * does not have the value of a negative zero, whose sign is lost where the double is written as JSON. A
 * number with an exponent stands for the nearest double, which some languages write with other last digits.
 */
function isHeld(source: string, value: number): boolean {
  if (Object.is(value, -0) && !/e/i.test(source)) return false;
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  if (source.length > maxCompared || !Number.isFinite(value)) return false;
  const wanted = decimalOf(source);
  if (wanted.digits === "" || value === 0) return wanted.digits === "";
  if (/e/i.test(source)) return true;
  const held = decimalOf(value.toPrecision(wanted.digits.length));
  return held.digits === wanted.digits && held.exponent === wanted.exponent;
}

/** Returns the digits of a number without zeros at its ends, and the power of ten of the last one. */
function decimalOf(text: string) {
  const [, whole = "", fraction = "", power = "0"] = /(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  return { digits, exponent: Number(power) - fraction.length + all.length - digits.length };
}
