#!/usr/bin/env bash
# completions.sh PROGRAM FOLDER: writes the completions of bash, zsh and fish to locwatch.bash, _locwatch and
# locwatch.fish. What argument-parser writes completes no file names for options and arguments that take any text; here
# it does.
set -euo pipefail
program=$1
folder=$2
"$program" --generate-completion-script bash |
  sed -e '1{/^#!/d}' -e 's/^complete -o filenames -F _locwatch locwatch$/complete -o default -o filenames -F _locwatch locwatch/' \
    > "$folder/locwatch.bash"
"$program" --generate-completion-script zsh |
  sed -E "s/:(file|file\.html|track|command|words|program):'/:\1:_files'/" > "$folder/_locwatch"
"$program" --generate-completion-script fish | sed "/^complete -c 'locwatch' -f\$/d" > "$folder/locwatch.fish"
grep -q '^complete -o default' "$folder/locwatch.bash"
