import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Table } from "../src/views/table.tsx";

it("shows columns of one name apart, and equal rows as many times as there are", () => {
  const rows = [1, 2].map(() => ({ n: 1, n_2: 2 }));
  const html = renderToStaticMarkup(<Table label="Numbers" names={["n", "n"]} keys={["n", "n_2"]} rows={rows} />);
  expect(html.replaceAll(/<[^>]*>/g, " ").match(/\S+/g)).toEqual(["n", "n", "1", "2", "1", "2"]);
});
