# haft(1) completion for bash; printed by `haft completion bash`

# Offers the words that begin with what is typed; nothing expands them.
_haft_words()
{
    local each
    for each; do
        [[ $each == "$word"* ]] && COMPREPLY+=("$each")
    done
}

# Offers files or commands, with quotes where a name needs them.
_haft_files()
{
    local each
    compopt -o filenames 2>/dev/null
    while IFS= read -r each; do
        COMPREPLY+=("$each")
    done < <(compgen "$@" -- "$word")
}

# Offers the tools of the server whose URL is on the line, before the word that is typed (bash takes
# a URL apart at its colons).  The server chooses the names: only plain ones are offered.
_haft_tools()
{
    local each url= line=${COMP_LINE:0:COMP_POINT} IFS=$' \t\n' LC_ALL=C
    read -ra line <<<"${line}x"
    for each in "${line[@]:0:${#line[@]}-1}"; do
        [[ $each == http*://* ]] && url=$each && break
    done
    [[ -n $url ]] || return
    while IFS= read -r each; do
        [[ $each == [A-Za-z0-9_]* && $each != *[!A-Za-z0-9_./-]* ]] && _haft_words "$each"
    done < <(haft tools --safe-names --timeout 3 "$url" 2>/dev/null)
}

_haft()
{
    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} i
    COMPREPLY=()
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            _haft_files -c -f
            return
        fi
    done
    case ${COMP_WORDS[1]}/$last in
    serve/--call) return ;;
    serve/--config) _haft_files -f; return ;;
    serve/--http) return ;;
    serve/--path) return ;;
    serve/--allow-host) return ;;
    serve/--allow-origin) return ;;
    serve/--cors) return ;;
    serve/--trusted-proxy) return ;;
    serve/--threads) return ;;
    serve/--max-connections) return ;;
    serve/--max-per-address) return ;;
    serve/--max-headers) return ;;
    serve/--max-url) return ;;
    serve/--max-unsent) return ;;
    serve/--header-timeout) return ;;
    serve/--body-timeout) return ;;
    serve/--idle-timeout) return ;;
    serve/--max-sessions) return ;;
    serve/--session-idle) return ;;
    serve/--rate) return ;;
    serve/--total-rate) return ;;
    serve/--metrics-path) return ;;
    serve/--replica) return ;;
    serve/--seal-key-file) _haft_files -f; return ;;
    serve/--oauth-issuer) return ;;
    serve/--oauth-resource) return ;;
    serve/--oauth-audience) return ;;
    serve/--oauth-scopes) return ;;
    serve/--dpop) _haft_words accepted refused required; return ;;
    serve/--client-cert-header) return ;;
    serve/--keys) _haft_files -f; return ;;
    serve/--access) return ;;
    serve/--scope-includes) return ;;
    serve/--tls-cert) _haft_files -f; return ;;
    serve/--tls-key) _haft_files -f; return ;;
    serve/--tls-client-ca) _haft_files -f; return ;;
    serve/--tls-client) _haft_words required optional; return ;;
    serve/--store) return ;;
    serve/--store-password-file) _haft_files -f; return ;;
    serve/--store-ca) _haft_files -f; return ;;
    serve/--store-cert) _haft_files -f; return ;;
    serve/--store-key) _haft_files -f; return ;;
    serve/--replicas) return ;;
    serve/--store-rate) _haft_words local closed open; return ;;
    serve/--store-replay) _haft_words closed local open; return ;;
    serve/--stdio-max-unsent) return ;;
    serve/--grace) return ;;
    serve/--tools) return ;;
    serve/--disable) return ;;
    serve/--skills) return ;;
    serve/--timeout) return ;;
    serve/--client-rate) return ;;
    serve/--workers) return ;;
    serve/--max-queue) return ;;
    serve/--max-in-flight) return ;;
    serve/--max-subscriptions) return ;;
    serve/--max-message) return ;;
    serve/--max-elements) return ;;
    serve/--drain) return ;;
    serve/--drain-notice) return ;;
    serve/--tasks) _haft_files -f; return ;;
    serve/--task-workers) return ;;
    serve/--max-tasks) return ;;
    serve/--max-client-tasks) return ;;
    serve/--task-ttl) return ;;
    serve/--page-size) return ;;
    serve/--list-ttl) return ;;
    serve/--log-level) _haft_words debug info notice warning error critical alert emergency; return ;;
    serve/--log-format) _haft_words text json; return ;;
    serve/--log-file) _haft_files -f; return ;;
    serve/--audit) _haft_files -f; return ;;
    serve/--audit-arguments) _haft_words digest plain; return ;;
    serve/--sandbox) _haft_words off on best-effort; return ;;
    serve/--sandbox-read) return ;;
    serve/--sandbox-write) return ;;
    serve/--otlp) return ;;
    serve/--otlp-ca) _haft_files -f; return ;;
    home/--hass) return ;;
    home/--hass-ca) _haft_files -f; return ;;
    home/--hass-timeout) return ;;
    home/--entities) return ;;
    home/--audio-dir) return ;;
    home/--listen) return ;;
    home/--call) return ;;
    home/--config) _haft_files -f; return ;;
    home/--http) return ;;
    home/--path) return ;;
    home/--allow-host) return ;;
    home/--allow-origin) return ;;
    home/--cors) return ;;
    home/--trusted-proxy) return ;;
    home/--threads) return ;;
    home/--max-connections) return ;;
    home/--max-per-address) return ;;
    home/--max-headers) return ;;
    home/--max-url) return ;;
    home/--max-unsent) return ;;
    home/--header-timeout) return ;;
    home/--body-timeout) return ;;
    home/--idle-timeout) return ;;
    home/--max-sessions) return ;;
    home/--session-idle) return ;;
    home/--rate) return ;;
    home/--total-rate) return ;;
    home/--metrics-path) return ;;
    home/--replica) return ;;
    home/--seal-key-file) _haft_files -f; return ;;
    home/--oauth-issuer) return ;;
    home/--oauth-resource) return ;;
    home/--oauth-audience) return ;;
    home/--oauth-scopes) return ;;
    home/--dpop) _haft_words accepted refused required; return ;;
    home/--client-cert-header) return ;;
    home/--keys) _haft_files -f; return ;;
    home/--access) return ;;
    home/--scope-includes) return ;;
    home/--tls-cert) _haft_files -f; return ;;
    home/--tls-key) _haft_files -f; return ;;
    home/--tls-client-ca) _haft_files -f; return ;;
    home/--tls-client) _haft_words required optional; return ;;
    home/--store) return ;;
    home/--store-password-file) _haft_files -f; return ;;
    home/--store-ca) _haft_files -f; return ;;
    home/--store-cert) _haft_files -f; return ;;
    home/--store-key) _haft_files -f; return ;;
    home/--replicas) return ;;
    home/--store-rate) _haft_words local closed open; return ;;
    home/--store-replay) _haft_words closed local open; return ;;
    home/--stdio-max-unsent) return ;;
    home/--grace) return ;;
    home/--tools) return ;;
    home/--disable) return ;;
    home/--skills) return ;;
    home/--timeout) return ;;
    home/--client-rate) return ;;
    home/--workers) return ;;
    home/--max-queue) return ;;
    home/--max-in-flight) return ;;
    home/--max-subscriptions) return ;;
    home/--max-message) return ;;
    home/--max-elements) return ;;
    home/--drain) return ;;
    home/--drain-notice) return ;;
    home/--tasks) _haft_files -f; return ;;
    home/--task-workers) return ;;
    home/--max-tasks) return ;;
    home/--max-client-tasks) return ;;
    home/--task-ttl) return ;;
    home/--page-size) return ;;
    home/--list-ttl) return ;;
    home/--log-level) _haft_words debug info notice warning error critical alert emergency; return ;;
    home/--log-format) _haft_words text json; return ;;
    home/--log-file) _haft_files -f; return ;;
    home/--audit) _haft_files -f; return ;;
    home/--audit-arguments) _haft_words digest plain; return ;;
    home/--sandbox) _haft_words off on best-effort; return ;;
    home/--sandbox-read) return ;;
    home/--sandbox-write) return ;;
    home/--otlp) return ;;
    home/--otlp-ca) _haft_files -f; return ;;
    tools/--timeout) return ;;
    tools/--header) return ;;
    tools/--ca) _haft_files -f; return ;;
    tools/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    tools/--limit) return ;;
    call/--out) _haft_files -f; return ;;
    call/--timeout) return ;;
    call/--header) return ;;
    call/--ca) _haft_files -f; return ;;
    call/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    call/--limit) return ;;
    resources/--timeout) return ;;
    resources/--header) return ;;
    resources/--ca) _haft_files -f; return ;;
    resources/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    resources/--limit) return ;;
    skills/--to) return ;;
    skills/--timeout) return ;;
    skills/--header) return ;;
    skills/--ca) _haft_files -f; return ;;
    skills/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    skills/--limit) return ;;
    prompts/--timeout) return ;;
    prompts/--header) return ;;
    prompts/--ca) _haft_files -f; return ;;
    prompts/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    prompts/--limit) return ;;
    read/--out) _haft_files -f; return ;;
    read/--timeout) return ;;
    read/--header) return ;;
    read/--ca) _haft_files -f; return ;;
    read/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    read/--limit) return ;;
    prompt/--timeout) return ;;
    prompt/--header) return ;;
    prompt/--ca) _haft_files -f; return ;;
    prompt/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    prompt/--limit) return ;;
    complete/--timeout) return ;;
    complete/--header) return ;;
    complete/--ca) _haft_files -f; return ;;
    complete/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    complete/--limit) return ;;
    watch/--timeout) return ;;
    watch/--header) return ;;
    watch/--ca) _haft_files -f; return ;;
    watch/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    watch/--limit) return ;;
    tasks/--id) return ;;
    tasks/--out) _haft_files -f; return ;;
    tasks/--timeout) return ;;
    tasks/--header) return ;;
    tasks/--ca) _haft_files -f; return ;;
    tasks/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    tasks/--limit) return ;;
    login/--scope) return ;;
    login/--client-id) return ;;
    login/--issuer) return ;;
    login/--timeout) return ;;
    login/--header) return ;;
    login/--ca) _haft_files -f; return ;;
    login/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    login/--limit) return ;;
    logout/--ca) _haft_files -f; return ;;
    keys/--scopes) return ;;
    keys/--file) _haft_files -f; return ;;
    import/--prefix) return ;;
    import/--select) return ;;
    nginx/--listen) return ;;
    nginx/--server-name) return ;;
    nginx/--tls-cert) _haft_files -f; return ;;
    nginx/--tls-key) _haft_files -f; return ;;
    ping/--timeout) return ;;
    ping/--header) return ;;
    ping/--ca) _haft_files -f; return ;;
    ping/--revision) _haft_words 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; return ;;
    ping/--limit) return ;;
    dev/--build) return ;;
    dev/--watch) return ;;
    install/--name) return ;;
    install/--file) _haft_files -f; return ;;
    esac
    if ((COMP_CWORD == 1)); then
        _haft_words serve home tools call resources skills prompts read prompt complete watch tasks login logout keys config import nginx ping new dev install completion help --help -h --version -V
        return
    fi
    case ${COMP_WORDS[1]} in
    serve) _haft_words --demo --stdio --list --check --call --print-config --json --verbose --help -h --version -V --config --http --path --allow-host --allow-origin --cors --legacy-sse --trusted-proxy --insecure --threads --max-connections --max-per-address --max-headers --max-url --max-unsent --header-timeout --body-timeout --idle-timeout --max-sessions --session-idle --rate --total-rate --metrics --metrics-path --metrics-for-all --replica --seal-key-file --oauth-issuer --oauth-resource --oauth-audience --oauth-scopes --dpop --dpop-nonce --client-cert-header --keys --access --scope-includes --hide-by-scope --tls-cert --tls-key --tls-client-ca --tls-client --store --store-password-file --store-ca --store-cert --store-key --replicas --store-rate --store-replay --single-use --store-required --stdio-max-unsent --grace --tools --read-only --lenient --disable --skills --timeout --client-rate --workers --max-queue --max-in-flight --max-subscriptions --max-message --max-elements --drain --drain-notice --tasks --task-workers --max-tasks --max-client-tasks --task-ttl --page-size --list-ttl --list-public --log-level --log-format --log-file --audit --audit-arguments --sandbox --sandbox-read --sandbox-write --sandbox-connect --sandbox-connect-unix --otlp --otlp-ca ;;
    home) _haft_words --hass --hass-ca --hass-timeout --entities --render-template --audio-dir --demo --listen --stdio --list --check --call --print-config --json --verbose --help -h --version -V --config --http --path --allow-host --allow-origin --cors --legacy-sse --trusted-proxy --insecure --threads --max-connections --max-per-address --max-headers --max-url --max-unsent --header-timeout --body-timeout --idle-timeout --max-sessions --session-idle --rate --total-rate --metrics --metrics-path --metrics-for-all --replica --seal-key-file --oauth-issuer --oauth-resource --oauth-audience --oauth-scopes --dpop --dpop-nonce --client-cert-header --keys --access --scope-includes --hide-by-scope --tls-cert --tls-key --tls-client-ca --tls-client --store --store-password-file --store-ca --store-cert --store-key --replicas --store-rate --store-replay --single-use --store-required --stdio-max-unsent --grace --tools --read-only --lenient --disable --skills --timeout --client-rate --workers --max-queue --max-in-flight --max-subscriptions --max-message --max-elements --drain --drain-notice --tasks --task-workers --max-tasks --max-client-tasks --task-ttl --page-size --list-ttl --list-public --log-level --log-format --log-file --audit --audit-arguments --sandbox --sandbox-read --sandbox-write --sandbox-connect --sandbox-connect-unix --otlp --otlp-ca ;;
    tools) _haft_words --json --names --safe-names --timeout --header --ca --revision --limit --verbose --help -h ;;
    call) _haft_words --json --accept-defaults --out --yes --task --no-task --timeout --header --ca --revision --limit --verbose --help -h ;;
    resources) _haft_words --json --names --safe-names --timeout --header --ca --revision --limit --verbose --help -h ;;
    skills) _haft_words --to --force --json --names --safe-names --timeout --header --ca --revision --limit --verbose --help -h ;;
    prompts) _haft_words --json --names --safe-names --timeout --header --ca --revision --limit --verbose --help -h ;;
    read) _haft_words --json --out --timeout --header --ca --revision --limit --verbose --help -h ;;
    prompt) _haft_words --json --accept-defaults --timeout --header --ca --revision --limit --verbose --help -h ;;
    complete) _haft_words --json --timeout --header --ca --revision --limit --verbose --help -h ;;
    watch) _haft_words --json --timeout --header --ca --revision --limit --verbose --help -h ;;
    tasks) _haft_words --json --accept-defaults --id --out --timeout --header --ca --revision --limit --verbose --help -h list get cancel wait ;;
    login) _haft_words --scope --client-id --issuer --no-browser --timeout --header --ca --revision --limit --verbose --help -h ;;
    logout) _haft_words --ca --help -h ;;
    keys) _haft_words --scopes --file --yes --json --help -h add list revoke ;;
    config) _haft_words schema ;;
    import) _haft_words --prefix --select --read-only --json --help -h openapi ;;
    nginx) _haft_words --listen --server-name --tls-cert --tls-key --help -h ;;
    ping) _haft_words --timeout --header --ca --revision --limit --verbose --help -h ;;
    new) _haft_words --cpp --plugin --gateway --make --help -h ;;
    dev) _haft_words --build --watch --help -h ;;
    install) _haft_words --name --file --remove --dry-run --yes --help -h claude claude-code vscode cursor ;;
    completion) _haft_words bash zsh ;;
    help) _haft_words serve home tools call resources skills prompts read prompt complete watch tasks login logout keys config import nginx ping new dev install completion help ;;
    esac
    [[ ${COMP_WORDS[1]} == call && $word != -* ]] && _haft_tools
}
complete -F _haft haft
