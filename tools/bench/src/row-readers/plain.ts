/** The least that reads row by row as `rowsOf()` does: objects, each waited for, and the next page asked for meanwhile. */
import { agent, pageText } from "./page-text.ts";
import { printReading } from "./reading.ts";

await printReading(async (result) => {
  let rows = 0;
  let ahead = pageText(result, 1);
  for (let number = 1, pages = 1; number <= pages; number += 1) {
    const { rows: cells, columnNames, page } = JSON.parse(await ahead).result;
    pages = page.totalPages;
    if (number < pages) ahead = pageText(result, number + 1);
    for (const row of cells) {
      const object: Record<string, unknown> = {};
      for (let index = 0; index < columnNames.length; index += 1) object[columnNames[index]] = row[index];
      await null;
      if (object.id === rows) rows += 1;
    }
  }
  agent.destroy();
  return rows;
});
