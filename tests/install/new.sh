#!/bin/sh
# The projects that `haft new` writes, built and tested as their READMEs say, with what is installed.
set -eu
[ -x "$PREFIX/bin/haft" ] || { echo "the program haft is not built here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name haft.pc)")
export PKG_CONFIG_PATH
export CMAKE_PREFIX_PATH="$PREFIX" CFLAGS='-Wall -Wextra -Wpedantic -Werror' CXXFLAGS='-Wall -Wextra -Wpedantic -Werror'
export PATH="$PREFIX/bin:$PATH"
cd "$work"

# The commands of the README's blocks.
commands() {
    awk -v wanted="$1" '/^```sh$/ { count++; inside = count == wanted; next } /^```$/ { inside = 0 } inside' README.md
}

# Those of the second block that show their output.
try() {
    commands 2 | sed -n 's/ *# \({.*}\)$/\n\1/p' | while IFS= read -r line && IFS= read -r expected; do
        got=$(sh -c "$line")
        [ "$got" = "$expected" ] || { echo "$line: expected $expected, got $got"; exit 1; }
    done
}

kinds='c cpp plugin gateway'
[ -e "$PREFIX/include/haft.hpp" ] || { echo "haft.hpp is not installed: no project in C++"; kinds='c plugin gateway'; }
for kind in $kinds; do
    for make in '' --make; do
        option=--$kind name=my-$kind$make
        [ "$kind" != c ] || option=
        echo "== haft new $name $option $make"
        haft new "$name" $option $make >said
        next=$(tail -n 1 said)
        (
            cd "$name"
            commands 1 | sh -eux
            [ -z "$(commands 1 | sed -n '/@/p')" ]
            [ "$(commands 2 | grep -c '# {')" -gt 0 ]
            try
            sh -c "$next" | grep -e 42 -e Ada

            echo "== and with a fault"
            sed -i 's/a + in/a - in/; s/Hello/Hullo/' tools.* routes.* 2>/dev/null || true
            ! commands 1 | sh -eu
        )
    done
done
