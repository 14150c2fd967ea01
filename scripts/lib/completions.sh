#!/usr/bin/env bash
# completions.sh PROGRAM FOLDER: writes the completions of bash, zsh and fish to locwatch.bash, _locwatch and
# locwatch.fish. What `locwatch completion` prints completes no file names for options and arguments that take any
# text, and nothing where `on` stands for `on add`; here it does. zsh takes no name of a variable with a bar in it.
set -euo pipefail
program=$1
folder=$2
events='enter exit dwell cross arrive leave move'

"$program" completion bash |
  sed -e '1{/^#!/d}' -e 's/^complete -o filenames -F _locwatch locwatch$/complete -o default -o filenames -F _locwatch locwatch/' \
    -e '/^_locwatch_on() {$/a\
    case "${unparsed_words[0]}" in\
    add|list|test|remove) ;;\
    *)\
        [[ "${#unparsed_words[@]}" -gt 1 ]] || COMPREPLY+=($(compgen -W '"'add list test remove'"' -- "${cur}"))\
        _locwatch_on_add\
        return\
        ;;\
    esac' \
    > "$folder/locwatch.bash"

"$program" completion zsh |
  sed -E -e "s/:(file|file\.html|file\|url|track|command|words|program):'/:\1:_files'/" \
    -e 's/(local -ar |\$\{)(_[A-Za-z_]*)\|/\1\2_/g' \
    -e '/^_locwatch_on\(\) \{$/,/^\}$/{
      s/^        local -ar subcommands=\($/&'"$(printf " '%s'" $events)"'/
      s/^            "_locwatch_on_\$\{words\[1\]\}" && ret=0$/&\
            ;;\
        *)\
            words=(add "${words[@]}")\
            ((CURRENT++))\
            _locwatch_on_add \&\& ret=0/
    }' > "$folder/_locwatch"

"$program" completion fish |
  sed -e "/^complete -c 'locwatch' -f\$/d" \
    -e "/^        case 'on'\$/,/switch/{
      /switch/i\\
            if set -q unparsed_tokens[1]; and not contains -- \$unparsed_tokens[1] add list test remove\\
                set -p unparsed_tokens add\\
            end
    }" > "$folder/locwatch.fish"
printf '%s\n' "complete -c 'locwatch' -n '__locwatch_should_offer_completions_for_positional \"locwatch on\" -eq 1' -fka '$events'" \
  >> "$folder/locwatch.fish"

grep -q '^complete -o default' "$folder/locwatch.bash"
grep -q '^    if \[\[ "${1}" = -W \]\]' "$folder/locwatch.bash"
grep -q '^        _locwatch_on_add$' "$folder/locwatch.bash"
grep -q '^            words=(add' "$folder/_locwatch"
grep -q 'set -p unparsed_tokens add' "$folder/locwatch.fish"
