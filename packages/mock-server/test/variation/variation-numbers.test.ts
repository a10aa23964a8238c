import { describe, expect, it } from "vitest";
import { createVariation } from "../../src/variation/variation.ts";

const seeds = Array.from({ length: 60 }, (_, seed) => seed);

describe("a variation", () => {
  it("has ids of each form, which follow from the seed and the number", () => {
    const forms = [
      /^run_[0-9a-f]{6}$/,
      /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
      /^c[0-9a-f]{24}$/,
      /^run:[0-9a-f]{4}\/ä\?b=\d+&c#%2F$/,
      /^1000\d{12}$/,
      /^run\.[0-9a-f]{200}$/,
    ];
    const { id } = createVariation(5);
    const ids = Array.from({ length: 60 }, (_, number) => id("run", number));
    expect(ids).toEqual(ids.map((_, number) => createVariation(5).id("run", number)));
    for (const one of ids) expect(forms.filter((form) => form.test(one))).toHaveLength(1);
    const numbers = ids.filter((one) => /^\d{16}$/.test(one)).map((one) => Number(one) - 10 ** 15);
    expect(Math.max(...numbers)).toBeGreaterThan(10 ** 8);
    expect(Math.max(...numbers)).toBeLessThan(10 ** 9);
    for (const form of forms) expect(ids.some((one) => form.test(one))).toBe(true);
    expect(new Set(ids.join("").match(/[0-9a-f]/g))).toEqual(new Set("0123456789abcdef"));
    expect(ids.find((one) => one.includes("?b="))).toContain(`?b=${ids.findIndex((one) => one.includes("?b="))}&`);
    expect(createVariation(6).id("run", 1)).not.toBe(id("run", 1));
    expect(id("req", 1)).not.toBe(id("run", 1).replace("run", "req"));
  });

  it("has runs of one to four polls", () => {
    const polls = Array.from({ length: 60 }, (_, number) => createVariation(5).script(number));
    expect(new Set(polls.map((script) => ("polls" in script ? script.polls : 0)))).toEqual(new Set([1, 2, 3, 4]));
  });

  it("has one of four largest pages", () => {
    const sizes = seeds.map((seed) => createVariation(seed).maxPageSize);
    expect(new Set(sizes)).toEqual(new Set([Number.POSITIVE_INFINITY, 1_000, 100, 3]));
  });

  it("has other numbers for each repetition of a request, whatever was requested between", () => {
    const numbers = (requests: readonly string[]) => {
      const { randomFor } = createVariation(5);
      return requests.map((request) => randomFor(request).below(2 ** 31));
    };
    const [first, second] = numbers(["a", "a"]);
    expect(first).not.toBe(second);
    expect(numbers(["a", "b", "a"]).filter((_, at) => at !== 1)).toEqual([first, second]);
  });
});
