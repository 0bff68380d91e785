# A worker node: runs the programs. Which sandbox tier it gives is up to how it is started:
#
#   plain (root, Docker's own capabilities)            uids
#   --privileged                                       namespaces, with a cgroup per slot
#   --user judge                                       bare
#
#   docker build -f deploy/docker/worker.Dockerfile -t code-judge-worker .
FROM python:3.12-slim

# g++ for C++ programs; the libraries are those that Python programs may import.
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip install --no-cache-dir "/src[science]" && rm -rf /src && useradd --system judge
ENV LOG_FORMAT=json PYTHON_EXECUTOR_PATH=/usr/local/bin/python3
# SIGTERM drains it: give it WORKER_GRACE_TIME and some 30 s more before it is killed.
CMD ["python", "-m", "code_judge_workers.main"]
