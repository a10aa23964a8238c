const { perform } = require("./scenario.mjs");

test("the scenario", () => perform("jest, CommonJS by a transform"), 300_000);
