/** Who has asked for what: a run or a statement that several users share belongs to each of them. */
export interface RequesterStore {
  askedForRun(userId: string, runId: string): Promise<boolean>;
  askedForStatement(userId: string, sqlStatementId: string): Promise<boolean>;
}
