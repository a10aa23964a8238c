import type { Instant } from "@quern/query-run/record";

/** Store of the single-use links that were used, and of the views of links. It may forget each when the link has expired. */
export interface LinkStore {
  isUsed(id: string): Promise<boolean>;
  /** Marks a link as used. Of several callers, one gets true; the others get false. */
  use(id: string, expiresAt: Instant): Promise<boolean>;
  /** Keeps the text of a view at least until `expiresAt`. One id always stands for the same text. */
  keepView(id: string, text: string, expiresAt: Instant): Promise<void>;
  /** Returns the text of a view; undefined if it is unknown or forgotten. */
  view(id: string): Promise<string | undefined>;
}
