import { lookup } from "node:dns";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { remainingAfterWait, trackResources } from "../../src/client/resource-leaks.ts";

describe("tracked resources", () => {
  it("are the timers of the function that keep the process alive, until they are cleared", async () => {
    using tracker = trackResources();
    const outside = setTimeout(() => {}, 60_000);
    const [timer, interval, background] = tracker.run(() => [
      setTimeout(() => {}, 60_000),
      setInterval(() => {}, 60_000),
      setTimeout(() => {}, 60_000).unref(),
    ]);
    expect(tracker.leaks()).toEqual(["timer left open", "timer left open"]);
    interval?.unref();
    expect(tracker.leaks()).toEqual(["timer left open"]);
    interval?.ref();
    clearInterval(interval);
    await vi.waitFor(() => expect(tracker.leaks()).toEqual(["timer left open"]));
    clearTimeout(timer);
    await vi.waitFor(() => expect(tracker.leaks()).toEqual([]));
    clearTimeout(background);
    clearTimeout(outside);
  });

  it("are also those of later steps of the function, and its result is returned", async () => {
    using tracker = trackResources();
    const timer = await tracker.run(async () => {
      await nextTurn();
      return setTimeout(() => {}, 60_000);
    });
    expect(tracker.leaks()).toEqual(["timer left open"]);
    clearTimeout(timer);
  });

  it("are sockets and lookups", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo; // It listens on a port.
    using tracker = trackResources();
    const socket = tracker.run(() => connect(port, "127.0.0.1"));
    await once(socket, "connect");
    expect(tracker.leaks()).toEqual(["socket left open"]);
    socket.destroy();
    await vi.waitFor(() => expect(tracker.leaks()).toEqual([]));
    const found = tracker.run(() => new Promise((resolve) => lookup("localhost", resolve)));
    expect(tracker.leaks()).toEqual(["lookup left open"]);
    await found;
    await vi.waitFor(() => expect(tracker.leaks()).toEqual([]));
    server.close();
  });

  it("are only those before the end of the tracker", () => {
    const tracker = trackResources();
    tracker[Symbol.dispose]();
    const timer = tracker.run(() => setTimeout(() => {}, 60_000));
    expect(tracker.leaks()).toEqual([]);
    clearTimeout(timer);
  });
});

describe("a wait for entries to end", () => {
  it("ends at once without entries", async () => {
    const entries = vi.fn(() => []);
    const timers = vi.spyOn(globalThis, "setTimeout");
    expect(await remainingAfterWait(entries)).toEqual([]);
    expect(timers).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it("ends when there are none", async () => {
    const left = ["a", "b"];
    expect(await remainingAfterWait(() => (left.pop() === undefined ? [] : ["some"]))).toEqual([]);
    expect(left).toEqual([]);
  });

  it("ends after 5 seconds with the entries that remain", async () => {
    const times = [0, 4999, 5000];
    vi.spyOn(Date, "now").mockImplementation(() => times.shift() ?? 9999);
    const entries = vi.fn(() => ["some"]);
    expect(await remainingAfterWait(entries)).toEqual(["some"]);
    vi.restoreAllMocks();
    expect(times).toEqual([]);
    expect(entries).toHaveBeenCalledTimes(3);
  });
});
