import { describe } from "vitest";
import { mockDefects } from "./defects.ts";
import { findsDefects } from "./kit.ts";

describe("the kit on a mock", () => {
  findsDefects("mock", mockDefects);
});
