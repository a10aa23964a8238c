/** A page of fifty panels: what it asks and how often it renders is the same in each framework. */
export const fiftyPanels = {
  statements: Array.from({ length: 50 }, (_, index) => `select name from cars limit ${index}`),
  /** Each panel renders without rows, and with rows. */
  renders: 100,
  /** One batch creates all runs; it also carries their first rows if they end at once. */
  requests: 1,
};
