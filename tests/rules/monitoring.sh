#!/bin/sh
# Dashboards, alert rules and the files for several replicas name only metrics, labels, options and variables that exist.
set -u
failed=0
files="packaging/monitoring/grafana.json packaging/monitoring/alerts.yml docs/scale.md $(find examples/scale -type f)"

report() {
    echo "$1"
    failed=1
}

# Metrics: the families of src/stage/metrics.c; those of histograms end in _bucket, _sum or _count.
families=$(sed -n '/families\[\] = {/,/};/p' src/stage/metrics.c | grep -oE '"mcp_server_[a-z_]+", "[a-z]+"' | tr -d '",')
[ "$(echo "$families" | wc -l)" -ge 15 ] || report "src/stage/metrics.c: its families are not found"
for name in $(grep -ohE 'mcp_server_[a-z_]+' $files | sort -u); do
    base=$(echo "$name" | sed -E 's/_(bucket|sum|count)$//')
    echo "$families" | grep -qE "^$name (counter|gauge)$" && continue
    [ "$base" != "$name" ] && echo "$families" | grep -qx "$base histogram" && continue
    report "$name: there is no such metric"
done
for name in $(echo "$families" | cut -d ' ' -f 1); do
    grep -q "$name" packaging/monitoring/grafana.json packaging/monitoring/alerts.yml && continue
    case $name in mcp_server_result_bytes_total | mcp_server_repairs_total) continue ;; esac
    report "$name: neither the dashboard nor the alerts use it"
done

# Outcomes that they ask for.
for outcome in $(grep -ohE 'outcome[!=]~?=?\\?"[a-z_|]+' $files | sed -E 's/.*"//' | tr '|' '\n' | sort -u); do
    grep -q "X(HAFT_OUTCOME_[A-Z_]*, \"$outcome\")" include/haft/pipeline.h || report "$outcome: there is no such outcome"
done

# Options, and the variables that they have.
options=$(grep -ohE '"--[a-z-]+"' src/config/option.c src/cli/*.c apps/haft/table.c | tr -d '"' | sort -u)
variables=$(echo "$options" | sed 's/^--/HAFT_/; s/-/_/g' | tr '[:lower:]' '[:upper:]')
for option in $(grep -ohE '(^|[ `\[])--[a-z][a-z-]+' packaging/monitoring/alerts.yml docs/scale.md \
    $(find examples/scale -name '*.service') | grep -oE -e '--[a-z-]+' | sort -u); do
    case $option in --now | --save | --appendonly) continue ;; esac # of other programs
    echo "$options" | grep -qx -e "$option" || report "$option: there is no such option"
done
for variable in $(grep -ohE '\bHAFT_[A-Z_]+' examples/scale/* docs/scale.md | sort -u); do
    echo "$variables" | grep -qx "$variable" || grep -q "\b$variable\b" include/haft/*.h ||
        report "$variable: no option has this variable"
done

if command -v node >/dev/null; then
    node -e 'JSON.parse(require("fs").readFileSync("packaging/monitoring/grafana.json"))' ||
        report "packaging/monitoring/grafana.json is not JSON"
fi
exit $failed
