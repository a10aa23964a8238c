import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPythonEnvironment } from "../../../published-clients/src/python/environment.ts";
import { run } from "../../src/packed.ts";
import { API_KEY, type Service, start } from "../../src/service.ts";
import { read, root } from "../../src/tree.ts";
import { saveDownloads } from "./forms.ts";
import { ofArrow, ofParquet } from "./frame-types.ts";
import { statementOf } from "./sample.ts";
import { samples } from "./samples.ts";

const environment = await createPythonEnvironment(...read("examples/notebook/requirements.txt").trim().split("\n"));
const script = fileURLToPath(new URL("read_frames.py", import.meta.url));
// Other values are outside the range of Python's dates, or change the type of all wide integers.
const tested = samples.filter(({ extreme, tooWide }) => !extreme && !tooWide);
const totals = "SELECT sum(n) AS total, count_if(n > 1) AS hits FROM range(4) AS t(n) GROUP BY n % 2";

interface Column {
  readonly type: string;
  readonly text: string;
  readonly null: boolean;
}

type Library = "pandas Parquet" | "pandas Arrow" | "polars Parquet" | "polars Arrow";
type Frames = Readonly<Record<Library, readonly Column[]>> & { readonly sums: readonly (readonly string[])[] };

if ("lacks" in environment) {
  it.skip(`pandas and polars do not run here: the machine lacks ${environment.lacks}`); // long, as its file name says
} else {
  let frames: Frames;
  let service: Service;
  afterAll(() => service?.stop());
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "quern-frames-"));
    run(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", join(folder, "data")], root);
    service = await start("serve", "--data-dir", join(folder, "data"));
    const files = [
      await saveDownloads(service, statementOf(tested), join(folder, "types")),
      await saveDownloads(service, totals, join(folder, "totals")),
    ];
    const { stdout, stderr, status } = spawnSync(environment.python, [script, ...files.flat()], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    frames = JSON.parse(stdout);
  });

  describe.each(tested.map((sample, index) => ({ ...sample, index })))(
    "$type: $sql",
    ({ parquet, arrow, kind, index, ...sample }) => {
      const typesOf = (form: "Parquet" | "Arrow") => [
        frames[`polars ${form}`][index]?.type,
        // A map's values have the name of their column.
        frames[`pandas ${form}`][index]?.type.replace(/ \('c\d+'\)/, "").replace(/\[pyarrow\]$/, ""),
      ];

      it("has its type in polars and pandas", () => {
        expect(typesOf("Parquet")).toEqual(ofParquet[parquet]);
        expect(typesOf("Arrow")).toEqual(ofArrow[arrow]);
      });

      it("has its digits and its NULL", () => {
        for (const library of ["pandas Parquet", "pandas Arrow", "polars Parquet", "polars Arrow"] as const) {
          const column = frames[library][index];
          expect(column?.null).toBe(true);
          // A FLOAT has the digits of the nearest double there.
          if (kind === "number" && sample.type !== "FLOAT") expect(column?.text).toBe(sample.text);
        }
      });
    },
  );

  it("pandas adds up sums and counts as numbers", () => {
    expect(frames.sums).toEqual([
      ["6", "2"],
      ["6", "2"],
    ]);
  });

  it("the example of a notebook reads its result by links, and as Arrow", () => {
    interface Cell {
      readonly cell_type: string;
      readonly source: readonly string[];
    }
    const { cells }: { readonly cells: readonly Cell[] } = JSON.parse(read("examples/notebook/cars.ipynb"));
    const code = cells.filter(({ cell_type }) => cell_type === "code").map(({ source }) => source.join(""));
    const env = { QUERN_URL: service.url, QUERN_API_KEY: API_KEY };
    const { stdout, stderr } = run(environment.python, ["-c", code.join("\n")], root, env);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/USA +┆ 254[\s\S]+USA +254[\s\S]+\nTrue\n$/);
  });
}
