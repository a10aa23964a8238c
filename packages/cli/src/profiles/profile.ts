import { isHttpAddress } from "../http-address.ts";
import { type Format, formats } from "../output/format.ts";

/** Connection to a service, as the configuration file has it. */
export interface Profile {
  readonly url?: string;
  readonly api_key?: string;
  readonly api_key_file?: string;
  /** Program that prints the key, and its arguments. */
  readonly api_key_command?: readonly string[];
  /** True if `quern login` has put the key into the system's keyring. */
  readonly keyring?: boolean;
  /** File with certificates of authorities to trust, in PEM. */
  readonly ca_file?: string;
  /** Address of a proxy, or "" for none. */
  readonly proxy?: string;
  /** Data source of statements that name none. */
  readonly source?: string;
  readonly format?: Format;
}

/** Members that tell where the key is. A profile has one of them at most. */
export const keyMembers = ["api_key", "api_key_file", "api_key_command", "keyring"] as const;

export type KeyMember = (typeof keyMembers)[number];

/** Returns the member that tells where the key of a profile is. */
export function keyMemberOf(profile: Profile): KeyMember | undefined {
  return keyMembers.find((member) => profile[member] !== undefined && profile[member] !== false);
}

interface Rule {
  readonly expected: string;
  accepts(value: unknown): boolean;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Rule of each member, which an error states. */
export const memberRules: Readonly<Record<keyof Profile, Rule>> = {
  url: {
    expected: 'an HTTP address such as "https://quern.example.org"',
    accepts: (value) => isText(value) && isHttpAddress(value),
  },
  api_key: { expected: "a text in quotes", accepts: isText },
  api_key_file: { expected: "the name of a file, in quotes", accepts: isText },
  api_key_command: {
    expected: 'a program and its arguments, such as ["pass", "show", "quern"]',
    accepts: (value) => Array.isArray(value) && isText(value[0]) && value.every((word) => typeof word === "string"),
  },
  keyring: { expected: "true or false", accepts: (value) => typeof value === "boolean" },
  ca_file: { expected: "the name of a file, in quotes", accepts: isText },
  proxy: {
    expected: 'the address of a proxy such as "http://proxy.example.org:3128", or "" for none',
    accepts: (value) => value === "" || (isText(value) && isHttpAddress(value)),
  },
  source: { expected: "the name of a data source, in quotes", accepts: isText },
  format: {
    expected: `one of ${formats.map((name) => `"${name}"`).join(", ")}`,
    accepts: (value) => formats.some((name) => name === value),
  },
};
