/** Members of SQLite as WebAssembly that the page uses. */
declare module "sql.js" {
  export type SqlValue = number | bigint | string | Uint8Array | null;

  export interface Statement {
    bind(values: readonly SqlValue[] | Readonly<Record<string, SqlValue>>): boolean;
    step(): boolean;
    get(params: null, options: { readonly useBigInt: boolean }): SqlValue[];
    getColumnNames(): string[];
    free(): boolean;
  }

  export interface Database {
    run(sql: string, values?: readonly SqlValue[]): Database;
    prepare(sql: string): Statement;
  }

  export default function initSqlJs(options: {
    readonly locateFile: (file: string) => string;
  }): Promise<{ readonly Database: new () => Database }>;
}
