import { describe } from "vitest";
import { findsDefects } from "./kit.ts";
import { serviceDefects } from "./service-defects.ts";

describe("the kit on a service", () => {
  findsDefects("service", serviceDefects);
});
