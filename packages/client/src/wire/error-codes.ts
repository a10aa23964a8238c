import type {
  MaxConcurrentQueriesError,
  QueryRunInvalidStateToCancelError,
  RateLimitedError,
  RequestedPageSizeTooLargeError,
} from "@quern/protocol/errors";

// The codes that the client does something about.
export const RateLimited: RateLimitedError["code"] = -32029;
export const RequestedPageSizeTooLarge: RequestedPageSizeTooLargeError["code"] = -32170;
export const MaxConcurrentQueries: MaxConcurrentQueriesError["code"] = -32171;
export const QueryRunInvalidStateToCancel: QueryRunInvalidStateToCancelError["code"] = -32165;
