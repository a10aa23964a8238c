import { type RefusedSeed, refused, wrong } from "./seed.ts";

const tool = "/methods/1/x-tool";
const working = {
  name: "list_items",
  title: "List items",
  description: "Lists items.",
  hints: { readOnly: true, destructive: false, openWorld: false },
  params: { count: { member: "/size", maximum: 50 } },
  result: { items: "/items" },
  omit: ["/items/*/state"],
  size: "/size",
};
const change = (set: object) => ({ [tool]: { ...working, ...set } });

/** A valid tool, which the seeds change. */
export const workingTool = { [tool]: working };

/** Documents with one mistake in `x-tool`. */
export const toolSeeds: readonly RefusedSeed[] = [
  wrong(tool, true, "must be an object"),
  wrong("/methods/1/x-tol", working, 'did you mean "x-tool"?'),
  refused(change({ nam: 1 }), `${tool}/nam`, 'did you mean "name"?'),
  refused(change({ name: "List items" }), `${tool}/name`, "lower-case letters", '"List items"'),
  refused(change({ title: undefined }), `${tool}/title`, "missing text"),
  refused(change({ description: "" }), `${tool}/description`, "missing text"),
  refused(change({ hints: { readOnly: true, destructive: false } }), `${tool}/hints/openWorld`, "true or false"),
  refused(change({ params: [] }), `${tool}/params`, "must be an object"),
  refused(change({ params: { Count: { member: "/size" } } }), `${tool}/params/Count`, "camelCase"),
  refused(change({ params: { count: { member: "size" } } }), `${tool}/params/count/member`, "begins with /"),
  refused(change({ params: { count: { member: "/siez" } } }), `${tool}/params/count/member`, 'did you mean "size"?'),
  refused(change({ params: { count: { membre: "/size", member: "/size" } } }), `${tool}/params/count/membre`, "member"),
  refused(change({ params: { count: { member: "/size", minimum: 0 } } }), `${tool}/params/count/minimum`, "at least 1"),
  refused(
    change({ params: { count: { member: "/size", maximum: 5, default: 9 } } }),
    `${tool}/params/count/default`,
    "9 is outside",
  ),
  refused(
    change({ params: { count: { member: "/id", method: "getItem" } } }),
    `${tool}/params/count/method`,
    "does not call getItem",
  ),
  refused(
    change({ params: { count: { member: "/size", listMembers: "no" } } }),
    `${tool}/params/count/listMembers`,
    "true or false",
  ),
  refused(change({ fixed: { siez: 1 } }), `${tool}/fixed/siez`, 'did you mean "size"?'),
  refused(change({ result: "row" }), `${tool}/result`, 'must be "rows"'),
  refused(change({ result: { items: "/itmes" }, omit: [] }), `${tool}/result/items`, 'did you mean "items"?'),
  refused(change({ omit: ["/items/*/sate"] }), `${tool}/omit/0`, "no member /items/*/sate"),
  refused(change({ omit: "/items" }), `${tool}/omit`, "a list of JSON pointers"),
  refused(change({ size: "/items" }), `${tool}/size`, "no member /items"),
  refused(change({ link: "itms" }), `${tool}/link`, 'did you mean "items"?'),
  refused(
    { "/methods/0/x-tool": { ...working, params: {}, result: { name: "/name" }, omit: [], size: undefined } },
    "/methods/0/x-tool/params",
    "required member id",
  ),
  refused(
    { "/methods/2/x-tool": { ...working, params: {}, result: {}, omit: [], size: undefined } },
    "/methods/2/x-tool/hints/readOnly",
    "write false",
  ),
  refused(
    {
      "/methods/2/x-tool": {
        ...working,
        hints: { readOnly: false, destructive: true, openWorld: false },
        params: {},
        result: "rows",
        omit: [],
        size: undefined,
      },
    },
    "/methods/2/x-tool/result",
    "rows need a method with x-page",
  ),
];
