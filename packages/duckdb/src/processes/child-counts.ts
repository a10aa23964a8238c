/** Work of a child process. */
export type ChildKind = "statement" | "page" | "copy" | "download" | "write" | "other";

/** Number of live child processes that do one kind of work. A process is `busy` while it performs a task. */
export interface ChildCount {
  readonly kind: ChildKind;
  readonly state: "busy" | "idle";
  readonly count: number;
}

interface LiveChild {
  readonly kind: ChildKind;
  readonly isBusy: () => boolean;
}

const kinds: readonly ChildKind[] = ["statement", "page", "copy", "download", "write", "other"];

/** Live child processes of this process, of all services that it runs. */
const children = new Set<LiveChild>();

/** Counts a child process until the returned function is called. */
export function countChild(kind: ChildKind, isBusy: () => boolean): () => void {
  const child = { kind, isBusy };
  children.add(child);
  return () => void children.delete(child);
}

/** Returns the number of child processes of each kind and state, also if it is 0. */
export function childCounts(): readonly ChildCount[] {
  return kinds.flatMap((kind) => {
    const ofKind = [...children].filter((child) => child.kind === kind);
    const busy = ofKind.filter(({ isBusy }) => isBusy()).length;
    return [
      { kind, state: "busy", count: busy },
      { kind, state: "idle", count: ofKind.length - busy },
    ];
  });
}
