import { EventEmitter } from "node:events";
import type pg from "pg";

type Step = "connect" | "notify" | "end";

/**
 * Pools and clients that were made, in their order, the next steps of a client that fail, and the connection of a pool
 * that has no other one.
 */
export const made: {
  readonly pools: FakePool[];
  readonly clients: FakeClient[];
  readonly failures: Step[];
  spare: pg.PoolClient | undefined;
} = { pools: [], clients: [], failures: [], spare: undefined };

function failIfDue(step: Step): void {
  if (made.failures[0] !== step) return;
  made.failures.shift();
  throw new Error(step);
}

/** Pool whose connections are given: a client, or the error with which PostgreSQL refuses it. */
class FakePool extends EventEmitter {
  totalCount = 0;
  isEnded = false;
  readonly next: (pg.PoolClient | Error)[] = [];
  readonly config: object;
  constructor(config: object) {
    super();
    this.config = config;
    made.pools.push(this);
  }
  async connect(): Promise<pg.PoolClient> {
    const next = this.next.shift() ?? made.spare;
    if (next === undefined || next instanceof Error) throw next ?? new Error("no more connections");
    return next;
  }
  async end(): Promise<void> {
    this.isEnded = true;
  }
}

export class FakeClient extends EventEmitter {
  /** Steps and statements without values. */
  readonly calls: string[] = [];
  /** Statements with values. */
  readonly sent: unknown[] = [];
  readonly config: object;
  constructor(config: object) {
    super();
    this.config = config;
    made.clients.push(this);
  }
  async connect(): Promise<void> {
    this.calls.push("connect");
    failIfDue("connect");
  }
  async query(statement: string | { readonly name: string }): Promise<void> {
    if (typeof statement === "string") return void this.calls.push(statement);
    this.sent.push(statement);
    failIfDue("notify");
  }
  async end(): Promise<void> {
    this.calls.push("end");
    this.emit("end");
    failIfDue("end");
  }
}

export const fakePg = { Pool: FakePool, Client: FakeClient, types: { getTypeParser: () => String } };
