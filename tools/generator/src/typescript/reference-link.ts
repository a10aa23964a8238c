import workspace from "../../../../package.json" with { type: "json" };

/** Tag that links a declaration to its page of the reference. Published declarations need an absolute address. */
export const referenceLink = (page: string): string => `@see ${workspace.homepage}/blob/main/docs/reference/${page}`;
