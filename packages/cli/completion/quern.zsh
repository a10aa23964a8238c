#compdef quern
# Completion of quern for zsh: source <(quern completion zsh), after compinit
# The command prints a line "value<tab>text" for each proposal, then :none, :files or :folders.
_quern() {
  local kind=none line
  local -a typed replies
  typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
  for line in "${(@f)$("${(Q)words[1]}" __complete $#typed "${typed[@]}" 2>/dev/null)}"; do
    case $line in
      :*) kind=${line#:} ;;
      *$'\t'*) replies+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      ?*) replies+=("${line//:/\\:}") ;;
    esac
  done
  (( $#replies )) && _describe -t values quern replies
  case $kind in
    files) compset -P '*='; _files ;;
    folders) compset -P '*='; _files -/ ;;
  esac
}
if [[ $funcstack[1] == _quern ]]; then _quern "$@"; else compdef _quern quern; fi
