#!/usr/bin/env bash
# start_nodes.sh [NAME...]: a worker node for each name, all on this machine; node-1 where none is given.
#
#   REDIS_URI=redis://HOST:6379 MAX_EXECUTION_TIME=4 MAX_WORKERS=64 deploy/tmux/start_nodes.sh
#
# One node per machine is enough: more workers are MAX_WORKERS. Sandbox tier: as root, namespaces or, in a plain
# container, uids; as a user, namespaces where users may make them, else bare. `code-judge doctor` says which.
set -euo pipefail
: "${REDIS_URI:?is not set: give the address of this Redis, such as redis://HOST:6379}"
here=$(cd "$(dirname "$0")" && pwd)
for name in "${@:-node-1}"; do
    NODE_NAME=$(hostname)-$name "$here/in_tmux.sh" "$name" python "$here/../../run_workers.py"
done
