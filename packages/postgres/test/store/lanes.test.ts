import { expect, it } from "vitest";
import { createLanes } from "../../src/store/lanes.ts";

/** Notes the name when the promise resolves. */
function noted(order: string[], name: string, promise: Promise<void>): void {
  void promise.then(() => order.push(name));
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

it("keeps work with the same key in its order, also if later work leaves first", async () => {
  const lanes = createLanes();
  const order: string[] = [];
  const [first, second, third] = [lanes.enter("a"), lanes.enter("a"), lanes.enter("a")];
  for (const [name, { earlier }] of Object.entries({ first, second, third })) noted(order, name, earlier);
  await settle();
  expect(order).toEqual(["first"]);
  second.leave();
  await settle();
  expect(order).toEqual(["first"]);
  first.leave();
  await settle();
  expect(order).toEqual(["first", "second", "third"]);
});

it("keeps waiting work when earlier work leaves, and lets other keys pass", async () => {
  const lanes = createLanes();
  const order: string[] = [];
  const first = lanes.enter("a");
  lanes.enter("a");
  first.leave();
  noted(order, "third", lanes.enter("a").earlier);
  noted(order, "other", lanes.enter("b").earlier);
  await settle();
  expect(order).toEqual(["other"]);
});

it("lets new work begin after all work has left", async () => {
  const lanes = createLanes();
  lanes.enter("a").leave();
  const order: string[] = [];
  noted(order, "next", lanes.enter("a").earlier);
  await settle();
  expect(order).toEqual(["next"]);
});
