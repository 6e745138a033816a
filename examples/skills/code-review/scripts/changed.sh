#!/bin/sh
# Lists the functions that the last commit changed.
git show --format= --unified=0 HEAD | sed -n 's/^@@.*@@ //p' | sort -u
