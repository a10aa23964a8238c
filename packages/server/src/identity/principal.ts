/** Who calls: every call has one, and it decides which runs exist for it. */
export interface Principal {
  readonly tenantId: string;
  readonly userId: string;
  readonly apiKeyId: string;
}
