/** Lists for `IN`, written as the partial indexes have them, so that these are used. */
export const unfinished = "('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS')";
export const executing = "('QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS')";
