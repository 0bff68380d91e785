"""Start one worker node: ``REDIS_URI=… MAX_WORKERS=64 python run_workers.py``."""
