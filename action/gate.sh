#!/usr/bin/env bash
# Runs "plimsoll gate" with the inputs of the action. The table goes to the summary of the job, which gate writes itself.
set -uo pipefail

args=(--baseline "$INPUT_BASELINE" --max-growth "$INPUT_GROWTH" --max-per-call "$INPUT_PER_CALL")
[ -n "$INPUT_PEAK" ] && args+=(--max-peak "$INPUT_PEAK")
[ -n "$INPUT_RECIPE" ] && args+=(--recipe "$INPUT_RECIPE")
[ "$INPUT_UPDATE" = true ] && args+=(--update)

plimsoll=(npx --yes "plimsoll@${INPUT_VERSION:-latest}")
[ -n "${PLIMSOLL_COMMAND:-}" ] && read -ra plimsoll <<<"$PLIMSOLL_COMMAND"

# The command is split into words by the shell's own rules, as it would be in a step of the workflow.
eval "command=($INPUT_COMMAND)"
"${plimsoll[@]}" gate "${args[@]}" -- "${command[@]}"
code=$?

case $code in
  0) outcome=fine ;;
  2) outcome=worse ;;
  3) outcome=undecided ;;
  *) outcome=failed ;;
esac
[ -n "${GITHUB_OUTPUT:-}" ] && echo "outcome=$outcome" >>"$GITHUB_OUTPUT"
if [ "$code" = 3 ] && [ "$INPUT_FAIL_UNDECIDED" != true ]; then
  echo "::warning title=Plimsoll gate::The runs do not decide. See the summary of the job."
  exit 0
fi
exit "$code"
