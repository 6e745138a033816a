#!/bin/sh
# Every library and every program of the release is built against exploitation.  A row: whose it is, what
# it is called, which report shows it, the pattern, and whether that must be there.
set -eu
rows='
program position-independent        readelf -hW Type:.*DYN                   yes
program position-independent-flag   readelf -dW FLAGS_1.*PIE                 yes
any     read-only-relocations       readelf -lW GNU_RELRO                    yes
any     bound-at-start              readelf -dW FLAGS.*NOW                   yes
any     stack-not-executable        readelf -lW GNU_STACK.*RW[^E]            yes
any     nothing-written-and-run     readelf -lW LOAD.*RWE                    no
any     no-text-relocations         readelf -dW TEXTREL                      no
any     no-search-path              readelf -dW (RPATH|RUNPATH)              no
any     stack-protector             readelf -sW __stack_chk_fail             yes
any     fortified                   readelf -sW __[a-z]+_chk(@|$)            yes
'
# Where the processor has it, what is jumped to is marked.  That of the whole file depends on objects that
# come with the compiler, so it is looked for in the code.
case $(uname -m) in
x86_64) rows="$rows
any     marked-jumps                objdump -d endbr64                      yes" ;;
aarch64) rows="$rows
any     marked-jumps                objdump -d (bti|paciasp)                yes" ;;
esac
failed=0 n=0

check() {
    printf '%s\n' "$rows" | {
        bad=0
        while read -r whose name tool part pattern wanted; do
            case $whose in
            '') continue ;;
            program) [ "$1" = program ] || continue ;;
            esac
            # It calls no function of the C library that has a checked form for what the compiler cannot check.
            case $2/$name in
            */libhaft-crypto.so.*/fortified) continue ;;
            esac
            found=no
            [ "$("$tool" "$part" "$2" 2>/dev/null | grep -cE -e "$pattern")" -eq 0 ] || found=yes
            [ "$found" = "$wanted" ] || { echo "$2: $name: $found"; bad=1; }
        done
        exit $bad
    }
}

for file in $(find "$PREFIX" -name 'libhaft*.so.*.*.*'); do
    n=$((n + 1))
    check library "$file" || failed=1
done
# Two libraries, and the parts that there are.
[ $n -ge 2 ] || { echo "not two libraries"; failed=1; }
for file in "$PREFIX"/bin/* "$PREFIX"/../build/examples/*; do
    [ -f "$file" ] && [ -x "$file" ] || continue
    n=$((n + 1))
    check program "$file" || failed=1
done
[ $n -gt 10 ] || { echo "only $n libraries and programs"; failed=1; }
echo "$n libraries and programs"
exit $failed
