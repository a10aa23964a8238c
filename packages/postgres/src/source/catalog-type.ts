/** Type of a column as the catalog of PostgreSQL describes it; of a domain, its base type. */
export interface CatalogType {
  /** Name of the type, such as `numeric(10,2)`; of a domain its own name. */
  readonly name: string;
  readonly oid: number;
  /** Modifier of the base type; -1 without one. */
  readonly mod: number;
  /** `typtype` of the base type: `b` for a base type, `c` for a composite type, `e` for an enum, … */
  readonly form: string;
  /** True for array types. */
  readonly isArray: boolean;
  /** Element of an array, or attributes of a composite type. @default none, or unknown ones */
  readonly parts?: readonly TypePart[] | undefined;
}

/** Element of an array, without a name, or attribute of a composite type. */
export interface TypePart {
  readonly name: string;
  readonly type: CatalogType;
}
