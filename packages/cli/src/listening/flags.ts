import { parseNumber } from "../flags.ts";

/** Address of a server, and the form in which it is printed. */
export interface ListenFlags {
  readonly port: number;
  readonly host: string;
  readonly json: boolean;
}

export const listenFlags = {
  port: {
    kind: "parsed",
    parse: parsePort,
    default: "8080",
    placeholder: "number",
    brief: "Port to listen on; 0 takes any free one.",
  },
  host: { kind: "parsed", parse: String, default: "127.0.0.1", placeholder: "address", brief: "Address to listen on." },
  json: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "Print the address, or an error, as one JSON line.",
  },
} as const;

function parsePort(text: string): number {
  const port = parseNumber(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new RangeError(`expected a port from 0 to 65535, received ${text}`);
}
