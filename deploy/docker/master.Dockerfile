# The master: takes submissions over HTTP. Runs no programs, and needs no rights.
#
#   docker build -f deploy/docker/master.Dockerfile -t code-judge-master .
FROM python:3.12-slim

COPY . /src
RUN pip install --no-cache-dir /src && rm -rf /src && useradd --system judge
USER judge
ENV MASTER_PROCESSES=4 LOG_FORMAT=json
EXPOSE 8088
# exec: so that a stop reaches uvicorn, which answers what it owes within MASTER_GRACE_TIME.
CMD ["sh", "-c", "exec uvicorn code_judge.main:app --host 0.0.0.0 --port 8088 --workers $MASTER_PROCESSES"]
