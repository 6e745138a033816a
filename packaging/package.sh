#!/bin/sh
# package.sh OUT - makes out of the latest commit, or of a tarball's tree, in OUT:
#
#   haft-VERSION.tar.gz   the sources, with the commit recorded in them
#   *.deb, *.dsc, ...     Debian's packages of them, by packaging/debian
#   lintian.txt           what lintian says of these; must be empty
#
# The same commit makes the same tarball and, with the same compiler, the same packages.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd)

version=$(sed -n 's/^#define HAFT_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/haft/version.h | paste -sd.)
name=haft-$version
epoch=

fail() {
    printf 'package: %s\n' "$*" >&2
    exit 1
}

# What the tree is a checkout of, if it is one.
commit() {
    [ -e .git ] && git rev-parse --verify HEAD 2>/dev/null
}

tarball() {
    if commit >/dev/null; then
        [ -z "$(git status --porcelain --untracked-files=no)" ] ||
            echo "package: changes that are not committed are left out" >&2
        git archive --format=tar --prefix="$name/" HEAD
    else
        tar -c --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" --exclude=./build \
            --exclude=node_modules --exclude=./debian --transform="s|^\.|$name|" .
    fi | gzip -9n >"$out/$name.tar.gz"
}

# The time of the commit in seconds, as the tarball or git has it.
committed_at() {
    if commit >/dev/null; then
        git log -1 --format=%ct
    else
        recorded=$(sed -n 2p cmake/commit.txt)
        case $recorded in
        *Format*) stat -c %Y include/haft/version.h ;;
        *) date -d "$recorded" +%s ;;
        esac
    fi
}

# The one entry that this version has; CHANGELOG.md is the change log that people read.  By its revision it is older than
# any package that Debian may make of the version.
changelog() {
    maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
    printf 'haft (%s-0haft1) unstable; urgency=medium\n\n  * New upstream version.\n\n -- %s  %s\n' \
        "$version" "$maintainer" "$(LC_ALL=C date -u -R -d "@$epoch")"
}

epoch=$(committed_at)
rm -rf "$out/work" "$out"/haft* "$out"/libhaft*
mkdir "$out/work"
tarball
tar -xzf "$out/$name.tar.gz" -C "$out/work"
cp "$out/$name.tar.gz" "$out/work/haft_$version.orig.tar.gz"
cp -R packaging/debian "$out/work/$name/debian"
changelog >"$out/work/$name/debian/changelog"

(cd "$out/work/$name" && dpkg-buildpackage --no-sign -j"$(getconf _NPROCESSORS_ONLN)") >"$out/build.log" 2>&1 ||
    { tail -n 40 "$out/build.log"; fail "dpkg-buildpackage failed; all of its output is in $out/build.log"; }
find "$out/work" -maxdepth 1 -type f -exec mv {} "$out" \;
rm -rf "$out/work"

# Which version of the policy is current depends on the release whose lintian it is.
lintian --allow-root --display-info --pedantic \
    --suppress-tags out-of-date-standards-version,newer-standards-version "$out"/haft_*.changes >"$out/lintian.txt" || :
[ ! -s "$out/lintian.txt" ] || { cat "$out/lintian.txt"; fail "lintian finds fault"; }
(cd "$out" && ls -1 *.tar.* *.deb *.dsc)
