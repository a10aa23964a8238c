/** Size of a change by semantic versioning, for version 1 and later. */
export type Level = "major" | "minor" | "patch";

/**
 * `send`: what a caller sends, the params. `receive`: what a caller receives, results and errors. `document`: the rest,
 * which has no direction.
 */
export type Direction = "send" | "receive" | "document";

export interface Rule {
  readonly send?: Level;
  readonly receive?: Level;
  readonly document?: Level;
  /** Sentence about the change, with the fields `{name}`, `{old}` and `{new}`. */
  readonly says: string;
}

/** Every value that the old document allowed is still allowed, and further ones. */
const wider = { send: "minor", receive: "major" } as const;
/** Some values that the old document allowed are not allowed any more. */
const narrower = { send: "major", receive: "minor" } as const;
const major = { send: "major", receive: "major", document: "major" } as const;
const minor = { send: "minor", receive: "minor", document: "minor" } as const;
const patch = { send: "patch", receive: "patch", document: "patch" } as const;

/** Every kind of change, with its level in each direction that it can have. */
export const rules = {
  "no-rule": { ...major, says: "{name} differs, and no rule knows this change" },

  "method-added": { document: "minor", says: "the method {name} is new" },
  "method-removed": { document: "major", says: "the method {name} is removed" },
  "method-renamed": { document: "major", says: "the method {old} is now {new}" },
  "methods-reordered": { document: "patch", says: "the methods have another order" },
  "param-structure-widened": { send: "minor", says: "params can now also be sent in another structure: {old} → {new}" },
  "param-structure-changed": { send: "major", says: "params are refused in the structure of before: {old} → {new}" },
  "param-added": { send: "minor", says: "the optional param {name} is new" },
  "param-added-required": { send: "major", says: "the required param {name} is new" },
  "param-inserted": { send: "major", says: "the param {name} stands before others, whose positions change" },
  "param-removed": { send: "major", says: "the param {name} is removed" },
  "param-renamed": { send: "major", says: "the param {old} is now {new}" },
  "param-renamed-by-position": { send: "patch", says: "the param {old}, which is sent by position, is now {new}" },
  "param-moved": { send: "major", says: "the param {name} is at position {new}, was at {old}" },
  "param-moved-by-name": { send: "patch", says: "the param {name}, which is sent by name, stands elsewhere" },
  "param-required": { send: "major", says: "the param {name} is now required" },
  "param-optional": { send: "minor", says: "the param {name} is now optional" },
  "result-added": { receive: "minor", says: "the method has a result now" },
  "result-removed": { receive: "major", says: "the method has no result any more" },
  "result-required": { receive: "minor", says: "the result is always there now" },
  "result-optional": { receive: "major", says: "the result may be absent now" },
  "error-added": { receive: "minor", says: "the method can answer with the error {name}" },
  "error-removed": { receive: "minor", says: "the method does not answer with the error {name} any more" },
  "error-code-changed": { receive: "major", says: "the error {name} has another code: {old} → {new}" },
  "error-text-changed": { receive: "patch", says: "{name} of the error, an example or a text, is another one" },

  "property-added": { ...minor, says: "the optional member {name} is new" },
  "property-added-required": { send: "major", receive: "minor", says: "the member {name} is new, and always required" },
  "property-added-closed": {
    receive: "major",
    says: "the member {name} is new, and other members were excluded before",
  },
  "property-removed": { ...major, says: "the member {name} is removed" },
  "required-added": { ...narrower, says: "the member {name} is now required" },
  "required-removed": { ...wider, says: "the member {name} is no longer required" },
  "object-opened": { ...wider, says: "members without a description are now allowed" },
  "object-closed": { ...narrower, says: "members without a description are no longer allowed" },
  "schema-narrowed": { ...narrower, says: "{name} allowed any value, and now only some" },
  "schema-widened": { ...wider, says: "{name} now allows any value" },
  "schema-closed": { ...narrower, says: "{name} does not allow any value any more" },
  "schema-opened": { ...wider, says: "{name} allowed no value, and now allows some" },

  "type-widened": { ...wider, says: "further types are allowed: {old} → {new}" },
  "type-narrowed": { ...narrower, says: "fewer types are allowed: {old} → {new}" },
  "type-changed": { ...major, says: "the type is another one: {old} → {new}" },
  "nullable-added": { ...wider, says: "null is now allowed" },
  "nullable-removed": { ...narrower, says: "null is no longer allowed" },
  "enum-added": { ...narrower, says: "only listed values are allowed now: {new}" },
  "enum-removed": { ...wider, says: "other values than the listed ones are allowed now: {old}" },
  "enum-value-added": { ...wider, says: "the value {name} is new" },
  "enum-value-removed": { ...narrower, says: "the value {name} is removed" },
  "enum-value-added-open": { ...minor, says: "the value {name} is new; the document already allowed any other value" },
  "enum-value-removed-open": {
    ...narrower,
    says: "the value {name} is not named any more; the document allows any other",
  },

  "bound-tightened": { ...narrower, says: "{name} is tighter: {old} → {new}" },
  "bound-loosened": { ...wider, says: "{name} is looser: {old} → {new}" },
  "bound-changed": { ...major, says: "{name} is another one: {old} → {new}" },
  "pattern-added": { ...narrower, says: "text must match a pattern now: {new}" },
  "pattern-removed": { ...wider, says: "text need not match the pattern any more: {old}" },
  "pattern-changed": { ...major, says: "the pattern is another one: {old} → {new}" },
  "format-added": { ...narrower, says: "{name} is given now: {new}" },
  "format-removed": { ...wider, says: "{name} is not given any more: {old}" },
  "format-changed": { ...major, says: "{name} is another one: {old} → {new}" },
  "condition-added": { ...narrower, says: "the condition {name} is new" },
  "condition-removed": { ...wider, says: "the condition {name} is removed" },
  "condition-changed": { ...major, says: "the condition {name} differs, and programs cannot compare it" },

  "branch-added": { ...wider, says: "{name} allows a further alternative" },
  "branch-removed": { ...narrower, says: "{name} allows an alternative less" },
  "branch-added-overlapping": {
    ...major,
    says: "{name} has a further alternative, and excludes values that it shares with another one",
  },
  "branch-removed-overlapping": {
    ...major,
    says: "{name} has an alternative less, and allows values that it shared with another one",
  },
  "branch-added-open": { ...minor, says: "{name} describes values that were allowed already" },
  "branch-removed-open": { ...narrower, says: "{name} does not describe values any more that are still allowed" },
  "branches-reordered": { ...patch, says: "the alternatives of {name} have another order" },
  "alternatives-exclusive": { ...narrower, says: "exactly one alternative must match now (anyOf → oneOf)" },
  "alternatives-inclusive": { ...wider, says: "several alternatives may match now (oneOf → anyOf)" },
  "part-added": { ...narrower, says: "allOf demands a further schema" },
  "part-removed": { ...wider, says: "allOf demands a schema less" },
  "reference-changed": {
    ...major,
    says: "the reference leads elsewhere, to where the documents cannot be compared: {old} → {new}",
  },

  "default-added": { ...minor, says: "a default is given now: {new}" },
  "default-removed": { ...major, says: "the default {old} is not given any more" },
  "default-changed": { ...major, says: "the default is another one: {old} → {new}" },
  "access-changed": { ...major, says: "{name} is another one: {old} → {new}" },
  "unit-added": { ...patch, says: "the unit is given now: {new}" },
  "unit-removed": { ...major, says: "the unit {old} is not given any more" },
  "unit-changed": { ...major, says: "the unit is another one: {old} → {new}" },
  deprecated: { document: "minor", says: "{name} is deprecated" },
  undeprecated: { document: "patch", says: "{name} is no longer deprecated" },
  text: { document: "patch", says: "{name} is another text" },
  examples: { document: "patch", says: "the examples differ" },
  restated: { document: "patch", says: "{name} says the same in other words" },

  "definition-added": { document: "minor", says: "the definition {name} is new, and with it a generated type" },
  "definition-removed": { document: "major", says: "the definition {name} is removed, and with it a generated type" },
  "definition-renamed": { document: "major", says: "the definition {old} is now {new}, and with it a generated type" },
  "unused-definition-changed": { document: "minor", says: "the definition {name} differs, which no method uses" },
  "definitions-differ": {
    document: "patch",
    says: "{name} differs; the effects on callers are listed where it is used",
  },

  "trait-added": { document: "minor", says: "{name} is new: clients get functions from it" },
  "trait-removed": { document: "major", says: "{name} is removed, and with it functions of clients" },
  "trait-changed": { document: "major", says: "{name} differs, which functions of clients read" },
  "tool-added": { document: "minor", says: "the tool {name} is new" },
  "tool-removed": { document: "major", says: "the tool {name} is removed" },
  "tool-renamed": { document: "major", says: "the tool {old} is now {new}" },
  "tool-text-changed": { document: "patch", says: "{name} of the tool is another text" },
  "tool-argument-added": { document: "minor", says: "the tool has a further optional argument {name}" },
  "tool-argument-added-required": { document: "major", says: "the tool has a further required argument {name}" },
  "tool-output-added": { document: "minor", says: "the output of the tool has a further member {name}" },
  "tool-changed": { document: "major", says: "{name} of the tool differs" },
  "error-trait-added": { document: "minor", says: "{name} describes an error now" },
  "error-trait-removed": { document: "major", says: "{name} does not describe its error any more" },
  "error-status-changed": { receive: "major", says: "the HTTP status is another one: {old} → {new}" },
  "error-data-added": { receive: "minor", says: "the data of the error are described now" },
  "error-data-removed": { receive: "major", says: "the data of the error are not described any more" },
  "error-name-added": { document: "minor", says: "the error code {name} has a name now" },
  "error-name-removed": { document: "major", says: "the error code {name} has no name any more" },
  "error-name-changed": { document: "major", says: "the error code {name} has another name: {old} → {new}" },

  "server-added": { document: "minor", says: "the server {name} is new" },
  "server-removed": { document: "major", says: "the server {name} is removed" },
  "server-changed": { document: "major", says: "{name} of the server is another one: {old} → {new}" },
  "link-added": { document: "minor", says: "the link {name} is new" },
  "link-removed": { document: "major", says: "the link {name} is removed" },
  "link-changed": { document: "major", says: "{name} of the link differs" },
  "tag-added": { document: "patch", says: "the tag {name} is new" },
  "tag-removed": { document: "patch", says: "the tag {name} is removed" },
  "info-changed": { document: "patch", says: "{name} of the document is another one: {old} → {new}" },
  "openrpc-changed": { document: "patch", says: "the version of OpenRPC is another one: {old} → {new}" },
  "openrpc-generation-changed": { document: "major", says: "OpenRPC has another major version: {old} → {new}" },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleName = keyof typeof rules;

/** Returns the level of a rule in a direction. A rule without a level there does not fit, which counts as major. */
export function levelOf(name: RuleName, direction: Direction): Level {
  const rule: Rule = rules[name];
  return rule[direction] ?? "major";
}

const sizes: readonly Level[] = ["patch", "minor", "major"];

/** Returns the largest level; undefined without any. */
export function largest(levels: readonly Level[]): Level | undefined {
  return sizes.findLast((size) => levels.includes(size));
}
