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
    case $last in
    --out) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --timeout) return ;;
    --header) return ;;
    --ca) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --revision) COMPREPLY=($(compgen -W '2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28' -- "$word")); return ;;
    --limit) return ;;
    esac
    if ((COMP_CWORD == 1)); then
        words='tools call resources prompts ping completion help --help --version'
    else
        case ${COMP_WORDS[1]} in
        tools) words='--json --names --timeout --header --ca --revision --limit --verbose --help' ;;
        call) words='--json --out --timeout --header --ca --revision --limit --verbose --help' ;;
        resources) words='--json --names --timeout --header --ca --revision --limit --verbose --help' ;;
        prompts) words='--json --names --timeout --header --ca --revision --limit --verbose --help' ;;
        ping) words='--timeout --header --ca --revision --limit --verbose --help' ;;
        completion) words='bash zsh' ;;
        help) words='tools call resources prompts ping completion help' ;;
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
