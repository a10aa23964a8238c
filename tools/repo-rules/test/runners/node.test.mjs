import { test } from "node:test";
import { perform } from "./scenario.mjs";

test("the scenario", () => perform("node test"));
