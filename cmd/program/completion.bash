# Lets bash complete kontor's commands and options: source <(kontor completion bash)

_kontor() {
    local typed=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]/#\~/$HOME} candidate
    local -a words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
    # --option=value comes as three words.
    if [[ $typed == "=" ]]; then
        typed=
    elif (( COMP_CWORD > 1 )) && [[ ${COMP_WORDS[COMP_CWORD-1]} == "=" ]]; then
        words=("${words[@]:0:${#words[@]}-1}")
    elif [[ $typed == -* ]]; then
        words+=("$typed")
    fi
    COMPREPLY=()
    while IFS=: read -r candidate _; do
        [[ -n $candidate && $candidate == "$typed"* ]] && COMPREPLY+=("$candidate")
    done < <("$program" "${words[@]}" --generate-shell-completion 2>/dev/null)
}

complete -o default -F _kontor kontor
