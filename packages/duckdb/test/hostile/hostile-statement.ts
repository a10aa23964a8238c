/** Targets of hostile statements. */
export interface Places {
  /** File that no run may read. */
  readonly secret: string;
  /** Directory that no run may write to. */
  readonly outside: string;
  /** Stored result of another tenant. */
  readonly result: string;
  /** Parent of the directories of processes. */
  readonly work: string;
  /** Directory of another run. */
  readonly run: string;
  /** File of the data source that the caller queries. */
  readonly own: string;
  /** File of another data source. */
  readonly data: string;
  /** Link to the secret in the work directory. */
  readonly link: string;
}

export interface HostileStatement {
  readonly name: string;
  readonly sql: (places: Places) => string;
  /**
   * Outcome without the gate, if it is not an error of the engine or a limit: `success` if the statement describes or
   * changes the process, `WasRun` if its effect ends with the process, `limit` if the speed of the disk decides which limit
   * ends it.
   */
  readonly without?: "success" | "WasRun" | "WorkerLost" | "limit";
}
