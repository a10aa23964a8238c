/** Performs `work` on each item, at most `width` at a time; the results keep the order of the items. `work` must not reject. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  if (items.length <= width) return Promise.all(items.map(work));
  const results: Result[] = new Array<Result>(items.length);
  const queue = items.entries();
  async function drain(): Promise<void> {
    for (const [index, item] of queue) results[index] = await work(item);
  }
  await Promise.all(Array.from({ length: width }, drain));
  return results;
}
