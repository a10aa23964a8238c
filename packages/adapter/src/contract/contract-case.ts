/** One promise of an interface. Any test runner can play it: it throws an `AssertionError` where the promise is broken. */
export interface ContractCase<Context> {
  readonly name: string;
  run(context: Context): Promise<void>;
}
