# tap.sh DIRECTORY PROGRAM... - runs a server and writes down what goes in, what comes out, and how it ends.
#
# The input goes through a pipe of its own, so that a server that dies takes this with it.
log=$1/$$
shift
mkfifo "$log.pipe"
exec 3<&0
tee "$log.in" <&3 >"$log.pipe" &
{
    "$@" <"$log.pipe"
    echo $? >"$log.status"
} | tee "$log.out"
kill $! 2>/dev/null
