"""Start one worker node: ``REDIS_URI=redis://HOST:6379 MAX_WORKERS=64 python run_workers.py``."""

import sys

from code_judge_workers.main import main

if __name__ == "__main__":
    sys.exit(main())
