import { expect, it } from "vitest";
import { reportFiles } from "../../api-report/src/reports.ts";

it("the report of the public types of each package is up to date", () => {
  const reports = reportFiles();
  expect(reports.length).toBeGreaterThan(10);
  const stale = reports.filter(({ isCurrent }) => !isCurrent).map(({ file }) => file);
  expect(stale, "to write the reports, after a build: npm run api-report").toEqual([]);
});
