# demo.sh - the two commands of /root/run.sh in /root/haft: the first one serves, and the second one, for another terminal,
# calls.  Runs in the system to try haft in.
cd /root/haft
sed -n 1p /root/run.sh >/root/serve.sh
sed -n 2p /root/run.sh >/root/call.sh
sh /root/serve.sh >/root/serve.log 2>&1 </dev/null &
until grep -q 'listening on' /root/serve.log; do
    kill -0 $! || { tail -n 20 /root/serve.log; exit 1; }
    sleep 1
done
sh /root/call.sh
