import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledWorker } from "./hostile/bundled-worker.ts";
import type { HostileStatement } from "./hostile/hostile-statement.ts";
import { bombs, hostileStatements } from "./hostile/statements.ts";
import { traces } from "./hostile/traces.ts";
import { createWatchedUsers, type Finding, type WatchedUsers } from "./hostile/watched-users.ts";

/** Runs of one user, of which each comes after the statements that it names. */
interface Attack {
  readonly names: readonly string[];
  readonly statements: readonly string[];
}

/** Set it to test all pairs of traces, which takes several minutes more. */
const all = process.env.QUERN_ALL_PAIRS === "1";

/**
 * Returns pairs of items that stand at the distances in the list. At an odd distance, each item is in one pair. All pairs
 * of the statements would take hours.
 */
function pairs<Item>(items: readonly Item[], distances: readonly number[]): readonly (readonly [Item, Item])[] {
  return distances.flatMap((distance) =>
    items.flatMap((item, index): [Item, Item][] =>
      all || index % 2 === 0 ? [[item, items[(index + distance) % items.length] ?? item]] : [],
    ),
  );
}

const ofTraces = Array.from({ length: traces.length }, (_, distance) => distance).filter(
  (distance) => all || distance === 17,
);

describe.each([
  {
    gate: "with the gate",
    worker: "watched-worker",
    // The gate refuses almost all of them alone, so few pairs reach the engine together.
    ofStatements: [1],
    ofTraces: [],
  },
  {
    gate: "without the gate",
    worker: "ungated-worker",
    ofStatements: [31],
    ofTraces,
  },
] as const)(
  "after hostile statements $gate, the next run of the user finds a clean engine, and no other user's",
  ({ worker, ofStatements, ofTraces }) => {
    let users: WatchedUsers;
    let clean: Pick<Finding, "state" | "files">;
    let statements: readonly { readonly name: string; readonly sql: string }[];
    let endless: typeof statements;
    /** User of each process. */
    const owners = new Map<string, string>();
    beforeAll(async () => {
      users = await createWatchedUsers(await bundledWorker(worker));
      const { process, ...found } = await users.after("first");
      clean = found;
      owners.set(process, "first");
      const ofPlaces = (each: readonly HostileStatement[]) =>
        each.map(({ name, sql }) => ({ name, sql: sql(users.places) }));
      endless = ofPlaces(bombs);
      statements = [...ofPlaces(hostileStatements.filter((each) => !bombs.includes(each))), ...traces];
    });
    afterAll(() => users[Symbol.asyncDispose]());

    /** Two users attack side by side. Returns the number of attacks after which their process stayed. */
    async function survive(attacks: readonly Attack[]): Promise<number> {
      let kept = 0;
      const attack = async (user: string, own: readonly Attack[]): Promise<void> => {
        let last: string | undefined;
        for (const { names, statements: texts } of own) {
          const { process, ...found } = await users.after(user, ...texts);
          expect({ names, ...found }).toEqual({ names, ...clean });
          expect({ names, owner: owners.get(process) ?? user }).toEqual({ names, owner: user });
          owners.set(process, user);
          if (process === last) kept += 1;
          last = process;
        }
      };
      const half = Math.ceil(attacks.length / 2);
      await Promise.all([attack("ann", attacks.slice(0, half)), attack("ben", attacks.slice(half))]);
      await users.expectNothingChanged();
      return kept;
    }

    it("of which a limit ends each, alone", async () => {
      await survive(endless.map(({ name, sql }) => ({ names: [name], statements: [sql] })));
    });

    it(`in pairs of two runs, at the distances ${ofStatements} in the list`, async () => {
      const attacks = pairs(statements, ofStatements).map(([one, other]) => ({
        names: [one.name, other.name],
        statements: [one.sql, other.sql],
      }));
      expect(await survive(attacks)).toBeGreaterThan(attacks.length / 4);
    });

    if (ofTraces.length === 0) return; // the gate refuses texts of two statements
    it(`in pairs of traces in one text, at the distances ${ofTraces} in their list`, async () => {
      const attacks = pairs(traces, ofTraces).map(([one, other]) => ({
        names: [one.name, other.name],
        statements: [`${one.sql}; ${other.sql}`],
      }));
      expect(await survive(attacks)).toBeGreaterThan(0);
    });
  },
);
