#!/bin/sh
# The plugin and the program of docs/plugins.md, compiled and run as the page says, with what is installed;
# then with the static library.
set -eu
page=$PWD/docs/plugins.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/blocks" "$work/there"
awk -v out="$work/blocks" -f tests/docs/blocks.awk "$page"
cp "$work"/blocks/001.*.fragment.c "$work/there/greet.c"
cp "$work"/blocks/002.*.program.c "$work/there/host.c"
awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >"$work/shown"

libdir=$(dirname "$(find "$PREFIX" -name haft.pc)")
export PKG_CONFIG_PATH="$libdir"
libdir=$(dirname "$libdir")
export LD_LIBRARY_PATH="$libdir"

cd "$work/there"
sed -n 's/^\$ //p' "$work/shown" | while IFS= read -r line; do
    printf '$ %s\n' "$line"
    sh -c "$line" </dev/null 2>&1 || true
done >"$work/got"
diff -u "$work/shown" "$work/got"
! readelf -d greet.so | grep -q 'NEEDED.*libhaft'

echo "== a plugin in C++"
cat >hello.cc <<'END'
#include <haft.h>

static int hello(haft_call *call, const void *, void *)
{
    return haft_text(call, "Hello from C++");
}
static const haft_tool tool = HAFT_INIT(haft_tool, .name = "hello", .description = "Says hello", .call = hello);
HAFT_PLUGIN(&tool);
END
c++ -std=c++20 -Wall -Werror -shared -fPIC $(pkg-config --cflags haft) -o hello.so hello.cc
echo '{"plugins": ["./hello.so"]}' >config.json
[ "$(./host --config config.json --call hello)" = "Hello from C++" ]

echo "== the static library"
cc $(pkg-config --cflags haft) -o host host.c \
    -Wl,--whole-archive "$libdir/libhaft.a" -Wl,--no-whole-archive \
    $(pkg-config --static --libs haft | sed "s/-lhaft //") -Wl,--export-dynamic-symbol='haft_*'
! readelf -d host | grep -q 'NEEDED.*libhaft'
echo '{"plugins": ["./greet.so"]}' >config.json
[ "$(./host --config config.json --call greet '{"name": "Ada"}')" = "Hello, Ada!" ]

echo "== and one that shows nothing"
cc $(pkg-config --cflags haft) -o host host.c "$libdir/libhaft.a" \
    $(pkg-config --static --libs haft | sed "s/-lhaft //")
! ./host --config config.json --list 2>log
grep -q 'plugins.0: ./greet.so: undefined symbol: haft_text' log
