# client-record.sh DIRECTORY PROGRAM... - runs a client of the conformance suite and writes down how it ends.
#
# The suite looks at what the client sent, and ignores its exit status, its signals and its standard error.
log=$1/$(printf %s "$MCP_CONFORMANCE_SCENARIO" | tr / _)
shift
"$@" 2>"$log.stderr"
status=$?
echo "$status" >"$log.status"
cat "$log.stderr" >&2
exit "$status"
