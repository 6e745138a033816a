# http.sh - a call over HTTP, for which the client loads the part.  Runs in the system to try haft in.
/root/adder --http 127.0.0.1:0 2>/root/log &
until url=$(sed -n 's/.*listening on //p' /root/log) && [ -n "$url" ]; do
    kill -0 $! || { cat /root/log; exit 1; }
    sleep 0.1
done
haft call "$url" add a=2 b=40
