/** Function that closes a part of a service. */
export type Closer = () => void | Promise<void>;

/** Functions in the order in which their parts were opened. */
export type Closers = Closer[];

/** Closes the parts in reverse order. */
export async function closeAll(closers: Readonly<Closers>): Promise<void> {
  for (const close of closers.toReversed()) await close();
}
