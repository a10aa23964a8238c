/** Test case of an interface, for any test runner. `run` throws an `AssertionError` if the implementation fails it. */
export interface ContractCase<Context> {
  readonly name: string;
  run(context: Context): Promise<void>;
}
