import { EventEmitter } from "node:events";
import type pg from "pg";

/** Pools and clients that were made, in their order. */
export const made: { readonly pools: FakePool[]; readonly clients: FakeClient[] } = { pools: [], clients: [] };

/** Pool whose connections are given: a client, or the error with which PostgreSQL refuses it. */
export class FakePool extends EventEmitter {
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
    const next = this.next.shift();
    if (next === undefined || next instanceof Error) throw next ?? new Error("no more connections");
    return next;
  }
  async end(): Promise<void> {
    this.isEnded = true;
  }
}

export class FakeClient extends EventEmitter {
  readonly calls: string[] = [];
  readonly config: object;
  constructor(config: object) {
    super();
    this.config = config;
    made.clients.push(this);
  }
  async connect(): Promise<void> {
    this.calls.push("connect");
  }
  async query(text: string): Promise<void> {
    this.calls.push(text);
  }
  async end(): Promise<void> {
    this.calls.push("end");
    throw new Error("it has ended");
  }
}

export const fakePg = { Pool: FakePool, Client: FakeClient, types: { getTypeParser: () => String } };
