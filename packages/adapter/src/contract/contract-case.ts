/**
 * Test case for every implementation of an interface, for any test runner. `run` rejects if the implementation fails.
 */
export interface ContractCase<Context> {
  readonly name: string;
  run(context: Context): Promise<void>;
}
