/** Enough that neither a server of few processors nor the kit waits for the other, and few enough for a tenant's cap of runs. */
const lanes = 3;

/**
 * Does some work for each item, for several items at once. The last ones are begun first, which here take longest.
 * @returns The outcomes in the order of the items.
 */
export async function sideBySide<Item, Outcome>(
  items: readonly Item[],
  work: (item: Item) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...items.entries()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [place, item] = next;
      outcomes[place] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return outcomes;
}
