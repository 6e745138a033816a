# haft(1) completion for bash; printed by `haft completion bash`
_haft()
{
    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}
    local words= url i
    COMPREPLY=()
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            COMPREPLY=($(compgen -c -f -- "$word"))
            return
        fi
    done
    case ${COMP_WORDS[1]}/$last in
    serve/--call) return ;;
    serve/--config) COMPREPLY=($(compgen -f -- "$word")); return ;;
    serve/--http) return ;;
    serve/--path) return ;;
    serve/--allow-host) return ;;
    serve/--allow-origin) return ;;
    serve/--cors) return ;;
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
    serve/--seal-key-file) COMPREPLY=($(compgen -f -- "$word")); return ;;
    serve/--stdio-max-unsent) return ;;
    serve/--grace) return ;;
    serve/--tools) return ;;
    serve/--disable) return ;;
    serve/--timeout) return ;;
    serve/--client-rate) return ;;
    serve/--workers) return ;;
    serve/--max-queue) return ;;
    serve/--max-in-flight) return ;;
    serve/--max-subscriptions) return ;;
    serve/--max-message) return ;;
    serve/--max-elements) return ;;
    serve/--drain) return ;;
    serve/--page-size) return ;;
    serve/--list-ttl) return ;;
    serve/--log-level) COMPREPLY=($(compgen -W 'debug info notice warning error critical alert emergency' -- "$word")); return ;;
    serve/--log-format) COMPREPLY=($(compgen -W 'text json' -- "$word")); return ;;
    serve/--log-file) COMPREPLY=($(compgen -f -- "$word")); return ;;
    serve/--audit) COMPREPLY=($(compgen -f -- "$word")); return ;;
    serve/--audit-arguments) COMPREPLY=($(compgen -W 'digest plain' -- "$word")); return ;;
    serve/--sandbox) COMPREPLY=($(compgen -W 'off on best-effort' -- "$word")); return ;;
    serve/--sandbox-read) return ;;
    serve/--sandbox-write) return ;;
    serve/--otlp) return ;;
    tools/--timeout) return ;;
    tools/--header) return ;;
    tools/--ca) COMPREPLY=($(compgen -f -- "$word")); return ;;
    tools/--revision) COMPREPLY=($(compgen -W '2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28' -- "$word")); return ;;
    tools/--limit) return ;;
    call/--out) COMPREPLY=($(compgen -f -- "$word")); return ;;
    call/--timeout) return ;;
    call/--header) return ;;
    call/--ca) COMPREPLY=($(compgen -f -- "$word")); return ;;
    call/--revision) COMPREPLY=($(compgen -W '2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28' -- "$word")); return ;;
    call/--limit) return ;;
    resources/--timeout) return ;;
    resources/--header) return ;;
    resources/--ca) COMPREPLY=($(compgen -f -- "$word")); return ;;
    resources/--revision) COMPREPLY=($(compgen -W '2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28' -- "$word")); return ;;
    resources/--limit) return ;;
    prompts/--timeout) return ;;
    prompts/--header) return ;;
    prompts/--ca) COMPREPLY=($(compgen -f -- "$word")); return ;;
    prompts/--revision) COMPREPLY=($(compgen -W '2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28' -- "$word")); return ;;
    prompts/--limit) return ;;
    ping/--timeout) return ;;
    ping/--header) return ;;
    ping/--ca) COMPREPLY=($(compgen -f -- "$word")); return ;;
    ping/--revision) COMPREPLY=($(compgen -W '2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28' -- "$word")); return ;;
    ping/--limit) return ;;
    esac
    if ((COMP_CWORD == 1)); then
        words='serve tools call resources prompts ping completion help --help --version'
    else
        case ${COMP_WORDS[1]} in
        serve) words='--stdio --list --check --call --print-config --json --verbose --help --version --config --http --path --allow-host --allow-origin --cors --legacy-sse --insecure --threads --max-connections --max-per-address --max-headers --max-url --max-unsent --header-timeout --body-timeout --idle-timeout --max-sessions --session-idle --rate --total-rate --metrics --metrics-path --metrics-for-all --seal-key-file --stdio-max-unsent --grace --tools --read-only --lenient --disable --timeout --client-rate --workers --max-queue --max-in-flight --max-subscriptions --max-message --max-elements --drain --page-size --list-ttl --list-public --log-level --log-format --log-file --audit --audit-arguments --sandbox --sandbox-read --sandbox-write --sandbox-connect --sandbox-connect-unix --otlp' ;;
        tools) words='--json --names --timeout --header --ca --revision --limit --verbose --help' ;;
        call) words='--json --out --timeout --header --ca --revision --limit --verbose --help' ;;
        resources) words='--json --names --timeout --header --ca --revision --limit --verbose --help' ;;
        prompts) words='--json --names --timeout --header --ca --revision --limit --verbose --help' ;;
        ping) words='--timeout --header --ca --revision --limit --verbose --help' ;;
        completion) words='bash zsh' ;;
        help) words='serve tools call resources prompts ping completion help' ;;
        esac
        # bash takes a URL apart at its colons.
        if [[ ${COMP_WORDS[1]} == call && $word != -* ]]; then
            for i in $COMP_LINE; do
                [[ $i == http*://* ]] && url=$i && break
            done
            [[ -n $url ]] &&
                words+=" $(haft tools --names --timeout 3 "$url" 2>/dev/null)"
        fi
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _haft haft
