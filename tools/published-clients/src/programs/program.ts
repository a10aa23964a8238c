/** Service that a program queries. The original programs have the address of the closed service. */
export interface Service {
  readonly apiKey: string;
  readonly url: string;
}

/** Calls and SQL of one public program, rewritten. */
export interface Program {
  /** SQL of the program. */
  readonly sql: string;
  /** If the engine refuses `sql`: the name of the error, and the same query in the engine's dialect. */
  readonly refused?: { readonly errorName: string; readonly duckdb: string };
  /** Queries the service, and returns the outcome of the program. */
  run(service: Service, sql: string): Promise<unknown>;
}
