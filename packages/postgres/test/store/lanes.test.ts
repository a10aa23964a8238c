import { expect, it } from "vitest";
import { createLanes } from "../../src/store/lanes.ts";

/** Notes the name when the promise resolves. */
function record(order: string[], name: string, promise: Promise<void>): void {
  void promise.then(() => order.push(name));
}

async function flushPromises(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

it("keeps work with the same key in its order, also if later work leaves first", async () => {
  const lanes = createLanes();
  const order: string[] = [];
  const [first, second, third] = [lanes.enter("a"), lanes.enter("a"), lanes.enter("a")];
  for (const [name, { earlier }] of Object.entries({ first, second, third })) record(order, name, earlier);
  await flushPromises();
  expect(order).toEqual(["first"]);
  second.leave();
  await flushPromises();
  expect(order).toEqual(["first"]);
  first.leave();
  await flushPromises();
  expect(order).toEqual(["first", "second", "third"]);
});

it("keeps waiting work when earlier work leaves, and lets other keys pass", async () => {
  const lanes = createLanes();
  const order: string[] = [];
  const first = lanes.enter("a");
  lanes.enter("a");
  first.leave();
  record(order, "third", lanes.enter("a").earlier);
  record(order, "other", lanes.enter("b").earlier);
  await flushPromises();
  expect(order).toEqual(["other"]);
});

it("lets new work begin after all work has left", async () => {
  const lanes = createLanes();
  lanes.enter("a").leave();
  const order: string[] = [];
  record(order, "next", lanes.enter("a").earlier);
  await flushPromises();
  expect(order).toEqual(["next"]);
});
