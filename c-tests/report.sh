# Sourced by the test scripts: a temporary directory $work, one line a check, and a count at the end.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
checks=0 failures=0

# check NAME COMMAND...: the command must succeed; what it prints is shown only if it does not.
check() {
  check_name=$1
  shift
  checks=$((checks + 1))
  if "$@" >"$work/output" 2>&1; then
    echo "ok      $check_name"
  else
    echo "FAILED  $check_name"
    cat "$work/output"
    failures=$((failures + 1))
  fi
}

# Prints the count; the last command of a script, whose status it decides.
finish() {
  echo "$checks checks, $failures failed"
  [ "$failures" -eq 0 ]
}
