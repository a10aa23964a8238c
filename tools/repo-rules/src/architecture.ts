import { instance } from "@viz-js/viz";
import { folderArrows } from "./folder-arrows.ts";
import { packageArrows } from "./package-arrows.ts";
import { adapterNames, folderNames, manifest, packageNames } from "./tree.ts";

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
  apps: ["quern", "cli", "console", "react", "vue", "svelte", "query-options", "mcp", "client"],
  tests: ["mock-server", "conformance"],
  service: ["server", "duckdb", "adapter", ...adapterNames()],
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

interface Arrow {
  readonly from: string;
  readonly to: string;
  /** True for an import at run time. */
  readonly lazy: boolean;
}

/** Boxes and the imports between them. */
interface Picture {
  /** Name of its file in `docs/images`, without the colour scheme. */
  readonly name: string;
  readonly title: string;
  readonly boxes: readonly string[];
  readonly arrows: readonly Arrow[];
  groupOf(box: string): Group;
  /** Returns a second line for a box. */
  purposeOf(box: string): string;
}

const packages: Picture = {
  name: "architecture",
  title: "Packages of Quern and the imports between them",
  boxes: [...packageNames(), "spec"],
  arrows: packageArrows(),
  groupOf,
  purposeOf,
};

/** Returns the picture of the folders of a package. Files beside the folders, which tie them together, are not drawn. */
function foldersOf(name: string, group: Group): Picture {
  const source = `packages/${name}/src`;
  const boxes = folderNames(source);
  const children = folderArrows(source).find(({ folder }) => folder === source)?.children ?? new Map();
  const arrows = boxes.flatMap((from) =>
    [...(children.get(from) ?? [])].sort().map((to) => ({ from, to: String(to), lazy: false })),
  );
  return {
    name: `folders-${name}`,
    title: `Folders of @quern/${name} and the imports between them`,
    boxes,
    arrows: arrows.filter(({ to }) => boxes.includes(to)),
    groupOf: () => group,
    purposeOf: () => "",
  };
}

export const pictures: readonly Picture[] = [packages, foldersOf("server", "service"), foldersOf("duckdb", "service")];

export const pictureFile = ({ name }: Picture, scheme: ColourScheme) => `docs/images/${name}-${scheme}.svg`;

/** Draws a picture as SVG. An arrow that a longer path of arrows implies is omitted. */
export async function pictureSvg(picture: Picture, scheme: ColourScheme): Promise<string> {
  const { text, quiet, arrow, groups } = COLOURS[scheme];
  const { width, height, boxes, lines } = await layOut(picture.boxes, withoutImplied(picture.arrows));
  const used = GROUP_NAMES.filter((group) => picture.boxes.some((box) => picture.groupOf(box) === group));
  const hasLegend = used.length > 1;
  const box = ({ name, x, y }: Layout["boxes"][number]) => {
    const [fill, border] = groups[picture.groupOf(name)];
    const purpose = picture.purposeOf(name);
    const nameText = `<text x="${x}" y="${y + (purpose === "" ? 5 : -3)}" fill="${text}" font-size="14" font-weight="600">${name}</text>`;
    const purposeText = `\n  <text x="${x}" y="${y + 13}" fill="${quiet}" font-size="11">${purpose}</text>`;
    return `  <rect x="${x - BOX.width / 2}" y="${y - BOX.height / 2}" width="${BOX.width}" height="${BOX.height}" rx="8" fill="${fill}" stroke="${border}"/>
  ${nameText}${purpose === "" ? "" : purposeText}`;
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
  const full = hasLegend ? height + LEGEND_HEIGHT : height;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${full}" viewBox="0 0 ${width} ${full}" font-family="system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif" text-anchor="middle">
  <title>${picture.title}</title>
  <defs><marker id="head" viewBox="0 0 8 8" refX="0" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="${arrow}"/></marker></defs>
${[
  ...lines.map(line),
  ...boxes.map(box),
  ...(hasLegend ? [...used.map(key), arrowKey("imports", width / 2 + 90, false)] : []),
  ...(hasLegend ? [arrowKey("loads on demand", width / 2 + 196, true)] : []),
].join("\n")}
</svg>
`;
}

async function layOut(names: readonly string[], arrows: readonly Arrow[]): Promise<Layout> {
  const viz = await instance();
  const size = { width: BOX.width / POINTS_PER_INCH, height: BOX.height / POINTS_PER_INCH };
  const { bb, objects, edges }: GraphvizLayout = Object(
    viz.renderJSON({
      graphAttributes: { nodesep: 0.35, ranksep: 0.4, pad: 0 },
      nodeAttributes: { shape: "box", fixedsize: true, ...size },
      nodes: names.map((name) => ({ name })),
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
function withoutImplied(arrows: readonly Arrow[]): Arrow[] {
  const imported = (name: string) => arrows.filter(({ from, lazy }) => from === name && !lazy).map(({ to }) => to);
  const reaches = (from: string, to: string): boolean =>
    from === to || imported(from).some((next) => reaches(next, to));
  return arrows.filter(
    ({ from, to, lazy }) => lazy || !imported(from).some((next) => next !== to && reaches(next, to)),
  );
}
