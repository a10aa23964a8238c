import type { Faults } from "./faults.ts";
import { type Flag, flagsOf } from "./flags.ts";
import type { MethodModel, Model } from "./model.ts";
import { camelCase, errorTypeName, failureType, optionsFunction, takenTypes } from "./names.ts";
import { pointerBelow } from "./pointer.ts";
import { resolved, schemaNamed } from "./schema-lookup.ts";

/** Name that generated code uses for a part of the document. */
interface Claim {
  readonly name: string;
  readonly pointer: string;
  /** Part of the document in messages: `the method get_run`. */
  readonly subject: string;
}

/** Reports parts of the document whose generated names would clash with each other or with reserved names. */
export function checkNames(model: Model, faults: Faults): void {
  // Reports each pair once, because two methods with the same name clash in every kind of name.
  const reported = new Set<string>();
  const types = [
    ...model.schemas.map(({ name, schema }) => ({ name, pointer: schema.pointer, subject: `the schema ${name}` })),
    ...model.errors.map(({ name, pointer }) => ({
      name: errorTypeName(name),
      pointer,
      subject: `the error ${name}`,
    })),
    ...model.methods.map((method) => claim(method, failureType(method.stem))),
  ];
  for (const { name, pointer, subject } of types.filter((claim) => takenTypes.includes(claim.name)))
    faults.report(pointer, `${subject} would become the type ${name}, which generated code uses itself; rename it`);
  report("function", model.methods.flatMap(functionClaims));
  report(
    "command",
    model.methods.map((method) => claim(method, method.slug)),
  );
  // Anchors of the reference ignore case.
  report("type", types, (name) => name.toLowerCase());
  for (const method of model.methods) checkFlags(method);

  function report(kind: string, claims: readonly Claim[], key = (name: string) => name): void {
    const taken = new Map<string, Claim>();
    for (const { name, pointer, subject } of claims) {
      const other = taken.get(key(name));
      if (other === undefined) taken.set(key(name), { name, pointer, subject });
      else if (other.pointer !== pointer && !reported.has(pairOf(other.pointer, pointer))) {
        reported.add(pairOf(other.pointer, pointer));
        faults.report(
          pointer,
          `${subject} would become the ${kind} ${name}, like ${other.subject} at #${other.pointer}; rename one of them`,
        );
      }
    }
  }

  function checkFlags(method: MethodModel): void {
    const flags = flagsOf(model, method.params).flatMap((flag) => flagClaims(flag, memberPointer(method, flag.path)));
    for (const { name, pointer, subject } of flags.filter((flag) => /-$|--/.test(flag.name)))
      faults.report(pointer, `${subject} gives no flag, only --${name}; give its name a letter from a to z`);
    report(
      `flag of ${method.slug}`,
      flags.map((flag) => ({ ...flag, name: `--${flag.name}` })),
      camelCase,
    );
  }

  /** Returns the pointer of the schema of a member, and follows references. */
  function memberPointer(method: MethodModel, path: readonly string[]): string {
    let schema = schemaNamed(model, method.params);
    for (const name of path) {
      const within = resolved(model, schema);
      schema = within.properties.find((property) => property.name === name)?.schema ?? within;
    }
    return schema.pointer;
  }
}

/** Returns the key of a clash. All clashes between two methods have the same key. */
function pairOf(one: string, other: string): string {
  const [first, second] = [one, other].map((pointer) => /^\/methods\/\d+/.exec(pointer)?.[0] ?? pointer);
  return first === second ? `${one} ${other}` : `${first} ${second}`;
}

function functionClaims(method: MethodModel): readonly Claim[] {
  const options = method.readOnly ? [claim(method, optionsFunction(method.identifier))] : [];
  return [claim(method, method.identifier), ...options];
}

function claim({ name: method, pointer }: MethodModel, name: string): Claim {
  return { name, pointer: pointerBelow(pointer, "name"), subject: `the method ${method}` };
}

/** Returns the names of a flag. A boolean flag also has `--no-<name>`. */
function flagClaims({ name, kind, path }: Flag, pointer: string): readonly Claim[] {
  const own = { name, pointer, subject: `the member ${path.join(".")}` };
  return kind === "boolean" ? [own, { ...own, name: `no-${name}` }] : [own];
}
