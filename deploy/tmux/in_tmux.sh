#!/usr/bin/env bash
# in_tmux.sh NAME COMMAND...: runs a command in a tmux of its own, and writes what it says to LOG_FOLDER/NAME.log.
#
# A tmux server passes on the environment that it was started with: one server for each command, so that every
# one gets the settings of the shell that starts it, and none stays on any command line.
set -euo pipefail
name=$1
shift
log=${LOG_FOLDER:-logs}/$name.log
mkdir -p "$(dirname "$log")"
if tmux -L "code-judge-$name" has-session 2>/dev/null; then
    echo "$name is running already; look at it: tmux -L code-judge-$name attach" >&2
    exit 1
fi
# tee outlives the Ctrl-C by which stop.sh ends the command, and writes down its last words.
tmux -f /dev/null -L "code-judge-$name" new-session -d -s "$name" \
    "set -o pipefail; $(printf '%q ' "$@") 2>&1 | tee -i -a $(printf '%q' "$log")"
echo "$name: tmux -L code-judge-$name attach, or tail -f $log"
