import { perform } from "./scenario.mjs";

test("the scenario", () => perform("jest, ES modules"), 300_000);
