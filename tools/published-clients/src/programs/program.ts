/** Service that a program queries. The originals have the address of the closed service. */
export interface Service {
  readonly apiKey: string;
  readonly url: string;
}

/** Calls and SQL of one public program, written anew. */
export interface Program {
  /** SQL as the program has it. */
  readonly sql: string;
  /** Name of the error where the engine refuses `sql`, and the same query in the engine's dialect. */
  readonly refused?: { readonly errorName: string; readonly duckdb: string };
  /** Queries the service and returns the program's outcome. */
  run(service: Service, sql: string): Promise<unknown>;
}
