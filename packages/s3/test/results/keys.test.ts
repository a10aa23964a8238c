import { expect, it } from "vitest";
import { keyOfResult, nameOfKey, resultName, runOfName } from "../../src/results/keys.ts";
import { parseAddress, sourcePrefix } from "../../src/storage/address.ts";

const address = parseAddress("s3://bucket/a/b");

it("names a result after its run and attempt", () => {
  const name = resultName({ id: "run_1", attempt: 12 });
  expect(name).toBe("run_1.12");
  expect(runOfName(name)).toEqual({ id: "run_1", attempt: 12 });
});

it.each(["", "run_1", "run_1.", ".1", "run_1.x", "run_1.1x", "run.1.2", "a/run_1.1"])("%j is no name", (name) =>
  expect(runOfName(name)).toBeUndefined(),
);

it("finds the name of a result in its key only", () => {
  const key = keyOfResult(address, "run_1.1");
  expect(key).toBe("a/b/results/run_1.1.parquet");
  expect(nameOfKey(address, key)).toBe("run_1.1");
  expect(nameOfKey(address, "a/b/results/run_1.1.tmp")).toBeUndefined();
  expect(nameOfKey(address, "a/results/run_1.1.parquet")).toBeUndefined();
  expect(sourcePrefix(address)).toBe("a/b/sources/");
});
