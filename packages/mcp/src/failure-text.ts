import { errorHints } from "./generated/tools.ts";
import type { CallFailure } from "./service.ts";

/** Members of the data of errors that a model can act on, in the order of the text. */
const shown = [
  "candidates",
  "columns",
  "supported",
  "retryAfterMs",
  "resetsAt",
  "archivedAt",
  "state",
  "currentlyRunning",
  "maxConcurrentRuns",
  "maxPageSize",
  "rowNumber",
] as const;

const maxMessageCharacters = 4_000;
const maxListItems = 50;

/** Returns the text of a failed call for a language model: name, message, position, data and advice, and no code. */
export function failureText({ message, details }: CallFailure): string {
  const { name, data, runId } = details;
  const members = Object(data);
  const { errorName, errorMessage } = members;
  // InvalidQuery has the error of the engine in its data.
  const text = errorMessage === undefined ? message : `${errorName}: ${errorMessage}`;
  const hint = errorHints[name];
  const position = Object(members.errorData ?? data);
  const place = [
    position.line === undefined ? [] : [`line ${position.line}`],
    position.column === undefined ? [] : [`column ${position.column}`],
    position.line === undefined && position.position !== undefined ? [`offset ${position.position}`] : [],
  ]
    .flat()
    .join(", ");
  const at = place === "" || text.endsWith(`(${place})`) ? "" : ` (${place})`;
  const lines = [
    `${name}: ${text.slice(0, maxMessageCharacters)}${at}`,
    ...shown.flatMap((member) => {
      const value = members[member] ?? position[member];
      const shownValue = value === undefined || value === null ? "" : valueText(value);
      // The message of an unknown column lists the columns too.
      const isKnown = shownValue.includes(", ") && text.includes(shownValue);
      return shownValue === "" || isKnown ? [] : [`${member}: ${shownValue}`];
    }),
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(runId === undefined ? [] : [`runId: ${runId}`]),
  ];
  return lines.join("\n");
}

function valueText(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  const more = value.length > maxListItems ? `, … (${value.length} in all)` : "";
  return `${value.slice(0, maxListItems).join(", ")}${more}`;
}
