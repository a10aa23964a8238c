import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Address } from "./address.ts";
import { connectionConfig } from "./connections.ts";

const channel = "quern";
const notify = `SELECT pg_notify('${channel}', text) FROM unnest($1::text[]) AS text`;

/** Connection for notifications. It reconnects by itself; what is sent meanwhile is lost. */
export interface Listener {
  /** Resolves after the first attempt to connect. */
  readonly started: Promise<void>;
  /** Sends texts, each of fewer than 8,000 bytes, to all servers. Texts are dropped while the connection is away. */
  send(texts: readonly string[]): void;
  /** Finds out whether the connection still works; one that does not is replaced. */
  check(): void;
  close(): Promise<void>;
}

export interface ListenerOptions {
  readonly address: Address;
  /** Called with each text that any server has sent, also with those of this one. */
  readonly onText: (text: string) => void;
  /** Called after each connection, when notifications may have been missed. */
  readonly onConnected: () => void;
  /** Called with each loss of the connection, and with the first failure to connect; not with those that follow it. */
  readonly onError: (error: unknown) => void;
}

const maxPauseMs = 2_000;

export function createListener(options: ListenerOptions): Listener {
  const { onText, onConnected, onError } = options;
  const closing = new AbortController();
  let client: pg.Client | undefined;
  let waiting: string[] = [];
  let sending: Promise<void> | undefined;
  /** True from the report of a failure until the next connection. */
  let isReported = false;
  let attempted = (): void => {};
  const started = new Promise<void>((resolve) => {
    attempted = resolve;
  });

  /** Opens a connection and waits for its end. */
  async function listen(): Promise<void> {
    const next = new pg.Client({ ...connectionConfig(options.address), query_timeout: 5_000 });
    const ended = new Promise<void>((resolve) => next.once("end", resolve));
    let failure: Error | undefined;
    next.on("error", (error) => {
      failure = error;
    });
    try {
      await next.connect();
      // Notifications need not be durable, since a poll of the runs finds what a lost one would have reported.
      await next.query(`SET synchronous_commit = off; LISTEN ${channel}`);
    } catch (error) {
      await next.end().catch(() => {});
      throw error;
    }
    next.on("notification", ({ payload = "" }) => onText(payload));
    client = next;
    isReported = false;
    attempted();
    if (closing.signal.aborted) await next.end();
    else onConnected();
    await ended;
    client = undefined;
    if (!closing.signal.aborted) throw failure ?? new Error("the connection ended");
  }

  async function keepListening(): Promise<void> {
    for (let pauseMs = 50; !closing.signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const since = performance.now();
      try {
        await listen();
      } catch (error) {
        attempted();
        if (closing.signal.aborted) return;
        if (!isReported) onError(error);
        isReported = true;
        if (performance.now() - since > 10_000) pauseMs = 50;
        await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  /** Sends what is waiting, one transaction after the other. It also fails if the connection no longer works. */
  async function sendWaiting(): Promise<void> {
    do {
      const texts = waiting;
      waiting = [];
      const to = client;
      await to?.query({ name: "notify", text: notify, values: [texts] }).catch(() => to.end().catch(() => {}));
    } while (waiting.length > 0);
    sending = undefined;
  }

  const running = keepListening();
  return {
    started,
    send(texts) {
      waiting.push(...texts);
      sending ??= sendWaiting();
    },
    check() {
      sending ??= sendWaiting();
    },
    async close() {
      await sending;
      closing.abort();
      await client?.end().catch(() => {});
      await running;
    },
  };
}
