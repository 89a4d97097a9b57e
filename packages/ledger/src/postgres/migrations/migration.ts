/** One migration of the database. A released migration is never changed; the next one corrects its mistakes. */
export interface Migration {
  /** 1 to 9 belong to the ledger, 10 and above to what is built on it. */
  readonly version: number;
  readonly name: string;
  /**
   * The oldest version whose programs may still write after this migration, because pods of two releases run side by side during a
   * roll-out.
   */
  readonly least: number;
  readonly sql: string;
}
