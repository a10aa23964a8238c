// The generator loads this file before any package is built, so it imports none.
type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Tells whether two JSON values are equal, whatever the order of their members. */
export function areEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => areEqual(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && areEqual(left[name], right[name]))
  );
}

const hour = "(?:[01]\\d|2[0-3])";
const dateTime = new RegExp(
  `^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])[Tt]${hour}(?::[0-5]\\d){2}(?:\\.\\d+)?(?:[Zz]|[+-]${hour}:[0-5]\\d)$`,
);

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/**
 * Tells whether a text is a date and time by RFC 3339 with an offset. Leap seconds are refused, because Quern has none.
 */
export function isDateTime(text: string): boolean {
  if (!dateTime.test(text)) return false;
  const day = Number(text.slice(8, 10));
  return day <= 28 || day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}
