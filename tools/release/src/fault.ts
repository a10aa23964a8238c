/** A rule that a package does not keep. */
export interface Fault {
  readonly package: string;
  readonly file: string;
  readonly rule: string;
  /** Tells the author of the package what to do. */
  readonly action: string;
}

export const textOf = (fault: Fault): string => `${fault.package}, ${fault.file}: ${fault.rule}; ${fault.action}`;
