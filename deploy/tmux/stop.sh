#!/usr/bin/env bash
# stop.sh NAME...: asks each to leave, as Ctrl-C would, and waits until it has; "master" and names of nodes.
# A node finishes what it runs, a master gives the answers that it owes: nothing is lost.
# Once more while it waits has a node kill its runs and give them back.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: stop.sh NAME..., such as: stop.sh node-1 master" >&2; exit 2; }
for name in "$@"; do
    tmux -L "code-judge-$name" send-keys -t "$name" C-c 2>/dev/null || echo "$name is not running" >&2
done
for name in "$@"; do
    while tmux -L "code-judge-$name" has-session 2>/dev/null; do sleep 0.2; done
    echo "$name has left"
done
