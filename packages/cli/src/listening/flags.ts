import { parseNumber } from "../flags.ts";
import { settingTable } from "../generated/settings.ts";

/** Flags of commands that start a server. */
export interface ListenFlags {
  readonly port: number;
  readonly host: string;
  readonly json: boolean;
}

export const listenFlags = {
  port: {
    kind: "parsed",
    parse: parsePort,
    default: `${settingTable.port.default}`,
    placeholder: "number",
    brief: settingTable.port.text,
  },
  host: {
    kind: "parsed",
    parse: String,
    default: settingTable.host.default,
    placeholder: "address",
    brief: settingTable.host.text,
  },
  json: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "Print the address, or an error, as one JSON object.",
  },
} as const;

function parsePort(text: string): number {
  const port = parseNumber(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new RangeError("expected a port from 0 to 65535");
}
