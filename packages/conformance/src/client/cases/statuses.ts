import type { AdversaryCase } from "../case.ts";
import { create, error, html, looking, never, once } from "./asks.ts";

const redirects = [301, 302, 303, 307, 308].map((status) =>
  looking(
    `a redirect by ${status}`,
    { status, headers: { location: "/elsewhere" }, body: "" },
    `http ${status} or network`,
  ),
);
const refusals = [400, 401, 403, 404, 405, 410, 413, 415, 500, 501].map((status) =>
  looking(`HTTP ${status} with HTML`, { status, body: html, ...never }, `http ${status}`, once),
);
const passing = [408, 429, 502, 503, 504].map((status) =>
  looking(`HTTP ${status} once`, { status, body: html }, "right"),
);
const wait = (retryAfter: string) => ({ status: 429, body: "", headers: { "retry-after": retryAfter } });
const tooLong = (name: string, retryAfter: string) =>
  looking(name, { ...wait(retryAfter), ...never }, "http 429 or timeout", { ...once, timeoutMs: 1000 });

/** HTTP statuses other than 200. */
export const statusCases: readonly AdversaryCase[] = [
  ...redirects,
  ...refusals,
  ...passing,
  looking("HTTP 502 for ever", { status: 502, body: html, ...never }, "http 502"),
  looking("HTTP 502 with a reply in its body", { status: 502, ...never }, "http 502"),
  looking("HTTP 204 without a body", { status: 204, body: "" }, "protocol or http 204", once),
  looking("HTTP 201 with the reply", { status: 201 }, "right", once),
  looking(
    "HTTP 400 with an error of the method",
    { status: 400, body: error('{"code":-32099,"message":"no such run"}') },
    "rpc -32099",
    once,
  ),
  looking("HTTP 999", { status: 999, body: html, ...never }, "http 999 or network"),
  looking("429 that asks for no wait", wait("0"), "right"),
  looking("429 that asks for a wait until a date gone by", wait("{earlier}"), "right"),
  looking("429 that asks for a wait nobody can read", wait("soon, or -1"), "right"),
  tooLong("429 that asks for an hour", "3600"),
  tooLong("429 that asks for a wait until a date an hour away", "{later}"),
  tooLong("429 that asks for more seconds than a timer has", "99999999999999999999"),
  { name: "a create met by 429", calls: [create], faults: [{ status: 429, body: "" }], ends: ["right"] },
  { name: "a create met by 502", calls: [create], faults: [{ status: 502, body: html }], ends: ["http 502"], ...once },
];

/** They wait as long as they are told, in whole seconds. */
export const patientCases: readonly AdversaryCase[] = [
  looking("429 that asks for a second", wait("1"), "right", { waitsMs: 900 }),
  looking("429 that asks for a wait until the next but one second", wait("{soon}"), "right", { waitsMs: 900 }),
];
