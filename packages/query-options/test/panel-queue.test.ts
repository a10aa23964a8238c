import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createPanelQueue, immediately, type PanelOptions } from "../src/panel-queue.ts";

/** Queue, the names of the works that were started, and a function that ends a work. */
function openQueue(concurrency: number) {
  const queue = createPanelQueue(concurrency);
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const enter = (name: string, options: PanelOptions = {}, signal = new AbortController().signal) =>
    queue.enqueueAs({ current: options })(
      () =>
        new Promise<string>((resolve, reject) => {
          started.push(name);
          ends.set(name, (error) => (error ? reject(error) : resolve(name)));
        }),
      signal,
    );
  const flushPromises = () => new Promise((resolve) => setImmediate(resolve));
  return { started, enter, end: (name: string, error?: Error) => ends.get(name)?.(error), flushPromises };
}

describe("queued panels", () => {
  it("start in order, up to the concurrency", async () => {
    const { started, enter, end, flushPromises } = openQueue(2);
    const [first] = ["a", "b", "c", "d"].map((name) => enter(name));
    await flushPromises();
    expect(started).toEqual(["a", "b"]);
    end("a");
    expect(await first).toBe("a");
    await flushPromises();
    expect(started).toEqual(["a", "b", "c"]);
  });

  it("start by priority", async () => {
    const { started, enter, end, flushPromises } = openQueue(1);
    void enter("usual");
    void enter("high", { priority: 1 });
    void enter("low", { priority: -1 });
    for (const name of ["high", "usual", "low"]) {
      await flushPromises();
      expect(started.at(-1)).toBe(name);
      end(name);
    }
  });

  it("free their slot after a failure", async () => {
    const { started, enter, end, flushPromises } = openQueue(1);
    const failing = enter("a");
    void enter("b");
    await flushPromises();
    end("a", new Error("broken"));
    await expect(failing).rejects.toThrow("broken");
    await flushPromises();
    expect(started).toEqual(["a", "b"]);
  });

  it("leave the queue by an abort, before and after their start", async () => {
    const { started, enter, end, flushPromises } = openQueue(1);
    void enter("a");
    const leaving = new AbortController();
    const given = enter("b", {}, leaving.signal);
    void enter("c");
    await flushPromises();
    leaving.abort(new Error("unmounted"));
    await expect(given).rejects.toThrow("unmounted");
    end("a");
    await flushPromises();
    expect(started).toEqual(["a", "c"]);
  });

  it("leave no listener on their signal", async () => {
    const { enter, end, flushPromises } = openQueue(1);
    const { signal } = new AbortController();
    const first = enter("a", {}, signal);
    await flushPromises();
    expect(getEventListeners(signal, "abort")).toEqual([]);
    end("a");
    await first;
    await expect(enter("b", {}, AbortSignal.abort(new Error("unmounted")))).rejects.toThrow("unmounted");
  });

  it("read the position of each panel once, and of none without a free slot", async () => {
    vi.stubGlobal("window", { innerHeight: 100 });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { started, enter, end, flushPromises } = openQueue(50);
    // The queue reads no other member of an element.
    const getBoundingClientRect = vi.fn(() => ({ top: 0, bottom: 10 }) as DOMRect);
    const element = { current: { getBoundingClientRect } as Partial<Element> as Element };
    const names = Array.from({ length: 300 }, (_, number) => `${number}`);
    const mount = (some: readonly string[]) => {
      for (const name of some) void enter(name, { element });
    };
    mount(names.slice(0, 200));
    await flushPromises();
    expect(getBoundingClientRect).toHaveBeenCalledTimes(200);
    mount(names.slice(200));
    await flushPromises();
    expect(getBoundingClientRect).toHaveBeenCalledTimes(200);
    for (const name of started.slice()) end(name);
    await flushPromises();
    expect(started).toEqual(names.slice(0, 100));
    expect(getBoundingClientRect).toHaveBeenCalledTimes(200 + 250);
  });
});

describe("the place of a panel on the page", () => {
  it.each([
    [{ top: -10, bottom: 0 }, false],
    [{ top: -10, bottom: 1 }, true],
    [{ top: 99, bottom: 200 }, true],
    [{ top: 100, bottom: 200 }, false],
  ])("at %j puts it before panels that are out of view: %s", async (place, isFirst) => {
    vi.stubGlobal("window", { innerHeight: 100 });
    onTestFinished(() => void vi.unstubAllGlobals());
    const elementAt = (rect: object) => ({ current: { getBoundingClientRect: () => rect } as unknown as Element });
    const { started, enter, end, flushPromises } = openQueue(1);
    void enter("running");
    await flushPromises();
    void enter("away", { element: elementAt({ top: 500, bottom: 600 }), priority: 9 });
    void enter("panel", { element: elementAt(place) });
    end("running");
    await flushPromises();
    expect(started.at(-1)).toBe(isFirst ? "panel" : "away");
  });

  it("is in view without an element", async () => {
    const { started, enter, end, flushPromises } = openQueue(1);
    void enter("running");
    await flushPromises();
    vi.stubGlobal("window", { innerHeight: 100 });
    onTestFinished(() => void vi.unstubAllGlobals());
    const element = { current: { getBoundingClientRect: () => ({ top: 500, bottom: 600 }) } as unknown as Element };
    void enter("away", { element });
    void enter("unmounted", { element: { current: null } });
    void enter("plain");
    end("running");
    for (const name of ["unmounted", "plain", "away"]) {
      await flushPromises();
      expect(started.at(-1)).toBe(name);
      end(name);
    }
  });
});

it("a higher concurrency starts queued panels at once, and a lower one waits for running ones", async () => {
  const queue = createPanelQueue(1);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const flushPromises = () => new Promise((resolve) => setImmediate(resolve));
  for (const name of ["a", "b", "c", "d"])
    void queue.enqueueAs({ current: {} })(() => {
      started.push(name);
      return new Promise<void>((resolve) => void ends.push(resolve));
    }, new AbortController().signal);
  await flushPromises();
  queue.setConcurrency(3);
  await flushPromises();
  expect(started).toEqual(["a", "b", "c"]);
  queue.setConcurrency(2);
  ends[0]?.();
  await flushPromises();
  expect(started).toHaveLength(3);
  ends[1]?.();
  await flushPromises();
  expect(started).toEqual(["a", "b", "c", "d"]);
});

it("without a queue, work starts at once", async () => {
  const work = vi.fn(async () => 5);
  const result = immediately(work, AbortSignal.abort());
  expect(work).toHaveBeenCalledOnce();
  expect(await result).toBe(5);
});
