/** Gives the place among the items at work away while something is waited for, and takes one again afterwards. */
export type Aside = <T>(wait: () => Promise<T>) => Promise<T>;

/** Performs `work` on each item, at most `width` at a time; the results keep the order of the items. `work` must not reject. */
export function mapConcurrently<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, aside: Aside) => Promise<Result>,
): Promise<readonly Result[]> {
  const queue: (() => void)[] = [];
  let free = width;

  async function enter(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
  }

  function leave(): void {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  }

  const aside: Aside = async (wait) => {
    leave();
    try {
      return await wait();
    } finally {
      await enter();
    }
  };

  async function perform(item: Item): Promise<Result> {
    await enter();
    try {
      return await work(item, aside);
    } finally {
      leave();
    }
  }
  return Promise.all(items.map(perform));
}
