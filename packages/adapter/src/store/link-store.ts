import type { Instant } from "@quern/query-run/record";

/** Store of the single-use links that were used. It may forget a link when the link has expired. */
export interface LinkStore {
  isUsed(id: string): Promise<boolean>;
  /** Marks a link as used. Of several callers, one gets true; the others get false. */
  use(id: string, expiresAt: Instant): Promise<boolean>;
}
