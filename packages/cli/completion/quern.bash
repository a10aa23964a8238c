# Completion of quern for bash: source <(quern completion bash)
# The command prints a line "value<tab>text" for each proposal, then :none, :files or :folders.
# Works in bash 3.2 and without the package bash-completion, so it puts words together that bash has split at = and :.
_quern() {
  local IFS=$' \t\n' rest=${COMP_LINE:0:COMP_POINT} trimmed word tail prefix reply i
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    trimmed=${rest#"${rest%%[![:space:]]*}"}
    word=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$trimmed
    if ((i == 0)) || [[ $trimmed != "$rest" ]]; then
      words[${#words[@]}]=$word
    else
      words[${#words[@]}-1]+=$word
    fi
    rest=${trimmed#"$word"}
  done
  for ((i = 0; i < ${#words[@]}; i++)); do
    word=${words[i]#[\"\']}
    words[i]=${word%[\"\']}
  done
  tail=${words[${#words[@]}-1]}
  prefix=$tail
  [[ $COMP_WORDBREAKS == *=* ]] && tail=${tail##*=}
  [[ $COMP_WORDBREAKS == *:* ]] && tail=${tail##*:}
  prefix=${prefix%"$tail"}
  COMPREPLY=()
  while IFS=$'\t' read -r reply word; do
    case $reply in
      :none) compopt +o default 2>/dev/null ;;
      :folders) compopt +o default -o dirnames 2>/dev/null ;;
      :files) ;;
      *)
        printf -v word %q "${reply#"$prefix"}"
        COMPREPLY[${#COMPREPLY[@]}]=$word
        ;;
    esac
  done < <("${words[0]/#\~/$HOME}" __complete "$((${#words[@]} - 1))" "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _quern quern
