import { test } from "vitest";
import { perform } from "./scenario.mjs";

test("the scenario", () => perform("vitest"), 300_000);
