import type { RefObject } from "react";

/** Who asks for a turn. */
export interface Place {
  /** The panel on the page: what is in view goes before what is not. */
  readonly element?: RefObject<Element | null> | undefined;
  /** Among panels that are alike in this, the higher one goes first; 0 by default. */
  readonly priority?: number | undefined;
}

/** Does the work when its turn has come; an abort before that gives the turn up. */
export type Turn = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

interface Waiting {
  readonly place: RefObject<Place>;
  start(): void;
}

/** For whom there is no queue. */
export const atOnce: Turn = (work) => work();

/** A queue of works of which so many are under way at a time. It is no state of React: nothing renders when it moves. */
export interface Turns {
  /** @param place Read when a turn is free: the panel may have been rendered elsewhere since. */
  turnAt(place: RefObject<Place>): Turn;
  /** From now on so many are under way at a time. */
  allow(most: number): void;
}

export function createTurns(most: number): Turns {
  const waiting = new Set<Waiting>();
  let allowed = most;
  let underWay = 0;

  /** Whoever mounts or ends together is looked at together, so that their calls travel together. */
  function advanceSoon() {
    queueMicrotask(() => {
      if (underWay >= allowed) return;
      for (const { start } of inOrder(waiting).slice(0, allowed - underWay)) start();
    });
  }

  const turnAt =
    (place: RefObject<Place>): Turn =>
    async (work, signal) => {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.delete(entry);
          signal.removeEventListener("abort", giveUp);
        };
        const giveUp = () => {
          leave();
          reject(signal.reason);
        };
        const entry = {
          place,
          start() {
            leave();
            underWay += 1;
            resolve();
          },
        };
        waiting.add(entry);
        signal.addEventListener("abort", giveUp);
        advanceSoon();
      });
      try {
        return await work();
      } finally {
        underWay -= 1;
        advanceSoon();
      }
    };

  return {
    turnAt,
    allow(most) {
      allowed = most;
      advanceSoon();
    },
  };
}

function inOrder(waiting: Iterable<Waiting>): readonly Waiting[] {
  return [...waiting]
    .map((entry) => {
      const { element, priority = 0 } = entry.place.current;
      return { entry, inView: Number(isInView(element?.current)), priority };
    })
    .sort((a, b) => b.inView - a.inView || b.priority - a.priority)
    .map(({ entry }) => entry);
}

/** Read when a turn is free: the page may have been scrolled since. */
function isInView(element: Element | null | undefined): boolean {
  if (!element) return true;
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
