#!/usr/bin/env bash
# One master, with as many processes as the machine may spend on it. Settings come from the environment:
#
#   REDIS_URI=redis://HOST:6379 MAX_EXECUTION_TIME=4 deploy/tmux/start_master.sh
set -euo pipefail
: "${REDIS_URI:?is not set: give the address of this Redis, such as redis://HOST:6379}"
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/in_tmux.sh" master uvicorn code_judge.main:app \
    --host "${HOST:-0.0.0.0}" --port "${PORT:-8088}" --workers "${MASTER_PROCESSES:-16}"
