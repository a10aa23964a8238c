const { perform } = require("./scenario.mjs");

test("the scenario", () => perform("jest, CommonJS"), 300_000);
