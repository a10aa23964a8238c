/** A mock is quiet but for its own faults, which a test must see. */
export function reportError(error: unknown, method: string | undefined): void {
  console.error(`mock server: ${method ?? "authentication"} could not be answered:`, error);
}
