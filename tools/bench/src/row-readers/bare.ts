/** The least there is: `node:http` and `JSON.parse`, one page after the other, no objects made. */
import { agent, pageText } from "./page-text.ts";
import { printReading } from "./reading.ts";

await printReading(async (result) => {
  let rows = 0;
  for (let number = 1, pages = 1; number <= pages; number += 1) {
    const { rows: cells, page } = JSON.parse(await pageText(result, number)).result;
    for (const [id] of cells) if (id === rows) rows += 1;
    pages = page.totalPages;
  }
  agent.destroy();
  return rows;
});
