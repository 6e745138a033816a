#!/bin/sh
# Every row of the table of faults (tests/mutate) still applies: its text is in its file, once.
exec node tests/mutate/run.mjs --check
