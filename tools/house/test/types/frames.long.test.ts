import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPythonEnvironment } from "../../../published-clients/src/python/environment.ts";
import { start } from "../../src/service.ts";
import { saveDownloads } from "./forms.ts";
import { ofArrow, ofParquet } from "./frame-types.ts";
import { samples } from "./samples.ts";

const environment = await createPythonEnvironment("pandas==3.1.1", "polars==2.1.0", "pyarrow==26.0.1");
const script = fileURLToPath(new URL("read_frames.py", import.meta.url));
const total = samples.find(({ sql }) => sql.startsWith("(SELECT sum"));
// Others are outside the range of Python's dates, or change the type of the sum.
const read = [...(total ? [total] : []), ...samples.filter(({ extreme, tooWide }) => !extreme && !tooWide)];

interface Column {
  readonly type: string;
  readonly text: string;
  readonly null: boolean;
}

type Library = "pandas Parquet" | "pandas Arrow" | "polars Parquet" | "polars Arrow";
type Frames = Readonly<Record<Library, readonly Column[]>> & { readonly sums: readonly string[] };

if ("lacks" in environment) {
  it.skip(`pandas and polars do not run here: the machine lacks ${environment.lacks}`); // as its name says
} else {
  let frames: Frames;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "quern-frames-"));
    const service = await start("serve", "--data-dir", join(folder, "data"));
    const { parquet, arrow } = await saveDownloads(service, read, folder).finally(service.stop);
    const { stdout, stderr, status } = spawnSync(environment.python, [script, parquet, arrow], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    frames = JSON.parse(stdout);
  });
  afterAll(environment.remove);

  describe.each(read.map((sample, index) => ({ ...sample, index })))(
    "$type: $sql",
    ({ parquet, arrow, kind, index, ...sample }) => {
      const typesOf = (form: "Parquet" | "Arrow") => [
        frames[`polars ${form}`][index]?.type,
        // A map's values carry the name of their column.
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

  it("sums are numbers that pandas adds up", () => {
    expect(total?.text).toBe("6");
    expect(frames.sums).toEqual(["6", "6"]);
  });
}
