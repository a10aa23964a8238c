#!/bin/sh
# A client with curl and sed, as shell scripts use them: one request for each call, no retry.
# It reads its task as one line of JSON from stdin, and writes the outcome of each call.
task=$(cat)
of() { printf '%s' "$1" | sed -n "s/.*\"$2\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }
url=$(of "$task" url) key=$(of "$task" apiKey) seconds=$(($(of "$task" timeoutMs) + 999))
seconds=$((seconds / 1000))
post() { # Posts a call: method, params. Sets $body to the body of the answer, or $ended to the reason of the failure.
  answer=$(printf '{"jsonrpc":"2.0","id":1,"method":"%s","params":[%s]}' "$1" "$2" | curl -s -m "$seconds" \
    -w '\n%{http_code}' -H 'content-type: application/json' -H "x-api-key: $key" --data-binary @- "$url/json-rpc")
  code=$? status=${answer##*
} body=${answer%
*} ended=
  case $code in 0) ;; 28) ended=timeout ;; *) ended=network ;; esac
  [ "$code" != 0 ] || [ "$status" = 200 ] || ended="http $status"
  [ -n "$ended" ] || case $body in
    *'"error":'*) ended="rpc $(of "$body" code)" ;;
    *'"result":'*) ;;
    *) ended=protocol ;;
  esac
}
call() { # Prints the body of the answer unchanged, because a shell cannot parse JSON.
  post "$1" "$2"
  if [ -n "$ended" ]; then printf '{"error":"%s"}' "$ended"; else printf '%s' "$body"; fi
}
query() {
  post createQueryRun "{\"sql\":\"$1\",\"resultTTLHours\":1,\"maxAgeMinutes\":0,\"tags\":{},\"dataSource\":\"main\",\"dataProvider\":\"main\"}"
  id=$(of "$body" queryRunId) state=
  while [ -z "$ended" ] && [ "$state" != SUCCESS ]; do
    post getQueryRun "{\"queryRunId\":\"$id\"}"
    state=$(of "$body" state) state=${state#QUERY_STATE_}
    case $state in FAILED) ended=failed ;; CANCELED) ended=canceled ;; SUCCESS) ;; *) sleep 0.1 ;; esac
  done
  [ -n "$ended" ] || post getQueryRunResults "{\"queryRunId\":\"$id\",\"format\":\"csv\",\"page\":{\"number\":1,\"size\":${2:-10000}}}"
  if [ -n "$ended" ]; then printf '{"error":"%s"}' "$ended"; return; fi
  printf '{"result":%s}' "$(printf '%s' "$body" | sed 's/.*"rows":\(\[.*\]\),"page".*/\1/; s/.*"rows":\(\[.*\]\)}}$/\1/')"
}
case $task in
  *'"query":'*) endings=$(query "$(of "$task" sql)" "$(of "$task" pageSize)") ;;
  *)
    endings=$(printf '%s' "$task" | sed 's/.*\(calls\|sequence\)":\[\(.*\)\].*/\2/; s/},{"method"/}\n{"method"/g' | while IFS= read -r one || [ -n "$one" ]; do
      printf '%s,' "$(call "$(of "$one" method)" "$(printf '%s' "$one" | sed 's/.*"params":\(.*\)}$/\1/')")"
    done)
    endings=${endings%,}
    ;;
esac
printf '{"endings":[%s]}\n' "$endings"
