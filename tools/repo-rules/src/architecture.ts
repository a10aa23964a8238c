import { instance } from "@viz-js/viz";
import { type PackageArrow, packageArrows } from "./package-arrows.ts";
import { manifest, packageNames } from "./tree.ts";

export type ColourScheme = "light" | "dark";

/** Colours of a scheme; a group of packages has a fill and a border. */
const COLOURS = {
  light: {
    text: "#1b2330",
    quiet: "#596273",
    arrow: "#7a8496",
    groups: {
      apps: ["#e8f0fb", "#3b73c4"],
      tests: ["#fbeedd", "#d1762c"],
      service: ["#e4f4ed", "#2f8f6b"],
      contract: ["#eeeaf6", "#7b5bb5"],
    },
  },
  dark: {
    text: "#e6e9ee",
    quiet: "#a2abba",
    arrow: "#8b95a6",
    groups: {
      apps: ["#17263c", "#6ea5f0"],
      tests: ["#33230f", "#f0a05e"],
      service: ["#14291f", "#5cc79d"],
      contract: ["#251d38", "#b197e8"],
    },
  },
} as const;

/** Groups of packages, in the order of the legend. */
const GROUP_NAMES = ["apps", "tests", "service", "contract"] as const;

type Group = (typeof GROUP_NAMES)[number];

const GROUPS: Readonly<Record<Group, readonly string[]>> = {
  apps: ["quern", "cli", "react", "client"],
  tests: ["mock-server", "conformance"],
  service: ["server", "duckdb", "postgres", "s3", "trino", "clickhouse", "adapter"],
  contract: ["query-run", "protocol", "json-rpc", "spec"],
};

const BOX = { width: 168, height: 44 };
const LEGEND_HEIGHT = 44;
/** Graphviz measures nodes in inches. */
const POINTS_PER_INCH = 72;

/** The members of the JSON output of Graphviz that the picture needs. */
interface GraphvizLayout {
  /** Bounding box: left, bottom, right, top. */
  readonly bb: string;
  readonly objects: readonly { readonly name: string; readonly pos: string }[];
  readonly edges: readonly { readonly pos: string; readonly style: string }[];
}

interface Layout {
  readonly width: number;
  readonly height: number;
  /** Centre of each package. */
  readonly boxes: readonly { readonly name: string; readonly x: number; readonly y: number }[];
  readonly lines: readonly { readonly path: string; readonly lazy: boolean }[];
}

export const architectureFile = (scheme: ColourScheme) => `docs/images/architecture-${scheme}.svg`;

/** Draws the packages and the imports between them, as SVG. */
export async function architectureSvg(scheme: ColourScheme): Promise<string> {
  const { text, quiet, arrow, groups } = COLOURS[scheme];
  const { width, height, boxes, lines } = await layOut(withoutImplied(packageArrows()));
  const box = ({ name, x, y }: Layout["boxes"][number]) => {
    const [fill, border] = groups[groupOf(name)];
    return `  <rect x="${x - BOX.width / 2}" y="${y - BOX.height / 2}" width="${BOX.width}" height="${BOX.height}" rx="8" fill="${fill}" stroke="${border}"/>
  <text x="${x}" y="${y - 3}" fill="${text}" font-size="14" font-weight="600">${name}</text>
  <text x="${x}" y="${y + 13}" fill="${quiet}" font-size="11">${purposeOf(name)}</text>`;
  };
  const line = ({ path, lazy }: Layout["lines"][number]) =>
    `  <path d="${path}" fill="none" stroke="${arrow}"${lazy ? ' stroke-dasharray="5 4"' : ""} marker-end="url(#head)"/>`;
  const key = (group: Group, index: number) => {
    const [fill, border] = groups[group];
    const x = width / 2 - 312 + index * 100;
    return `  <rect x="${x}" y="${height + 18}" width="14" height="14" rx="4" fill="${fill}" stroke="${border}"/>
  <text x="${x + 20}" y="${height + 29}" fill="${quiet}" font-size="12" text-anchor="start">${group}</text>`;
  };
  const arrowKey = (label: string, x: number, lazy: boolean) =>
    `${line({ path: `M${x} ${height + 25}h28`, lazy })}
  <text x="${x + 42}" y="${height + 29}" fill="${quiet}" font-size="12" text-anchor="start">${label}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + LEGEND_HEIGHT}" viewBox="0 0 ${width} ${height + LEGEND_HEIGHT}" font-family="system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif" text-anchor="middle">
  <title>Packages of Quern and the imports between them</title>
  <defs><marker id="head" viewBox="0 0 8 8" refX="0" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="${arrow}"/></marker></defs>
${[
  ...lines.map(line),
  ...boxes.map(box),
  ...GROUP_NAMES.map(key),
  arrowKey("imports", width / 2 + 90, false),
  arrowKey("loads on demand", width / 2 + 196, true),
].join("\n")}
</svg>
`;
}

async function layOut(arrows: readonly PackageArrow[]): Promise<Layout> {
  const viz = await instance();
  const size = { width: BOX.width / POINTS_PER_INCH, height: BOX.height / POINTS_PER_INCH };
  const { bb, objects, edges }: GraphvizLayout = Object(
    viz.renderJSON({
      graphAttributes: { nodesep: 0.35, ranksep: 0.4, pad: 0 },
      nodeAttributes: { shape: "box", fixedsize: true, ...size },
      nodes: [...packageNames(), "spec"].map((name) => ({ name })),
      edges: arrows.map(({ from, to, lazy }) => ({
        tail: from,
        head: to,
        attributes: { style: lazy ? "dashed" : "solid" },
      })),
    }),
  );
  const margin = 2;
  const [, , right, top] = bb.split(",").map(Number);
  const point = (text: string) => {
    const [x = 0, y = 0] = text.split(",").map(Number);
    return { x: round(x + margin), y: round((top ?? 0) - y + margin) };
  };
  return {
    width: round((right ?? 0) + 2 * margin),
    height: round((top ?? 0) + 2 * margin),
    boxes: objects.map(({ name, pos }) => ({ name, ...point(pos) })),
    lines: edges.map(({ pos, style }) => {
      // `e,x,y` is the end of the arrow; then come the start and the control points of a Bézier curve.
      const [, ...points] = pos.split(" ");
      const [start, ...curve] = points.map(point).map(({ x, y }) => `${x} ${y}`);
      return { path: `M${start}C${curve.join(" ")}`, lazy: style === "dashed" };
    }),
  };
}

const round = (value: number) => Math.round(value * 10) / 10;

function groupOf(name: string): Group {
  for (const group of GROUP_NAMES) if (GROUPS[group].includes(name)) return group;
  throw new Error(`package without a group: ${name}; add it to GROUPS in architecture.ts`);
}

/** Returns the description of a package up to its first colon. */
function purposeOf(name: string): string {
  const { description = "" } = manifest(name === "spec" ? "spec" : `packages/${name}`);
  return description.split(":")[0] ?? "";
}

/** Returns the arrows without those that a longer path of imports implies. Arrows of packages loaded on demand stay. */
function withoutImplied(arrows: readonly PackageArrow[]): PackageArrow[] {
  const imported = (name: string) => arrows.filter(({ from, lazy }) => from === name && !lazy).map(({ to }) => to);
  const reaches = (from: string, to: string): boolean =>
    from === to || imported(from).some((next) => reaches(next, to));
  return arrows.filter(
    ({ from, to, lazy }) => lazy || !imported(from).some((next) => next !== to && reaches(next, to)),
  );
}
