"""Every family of figures that ``/metrics`` shows. ``docs/metrics.md``, the dashboard and the alerts are
checked against this list.

Labels take few values each: a verdict, a language, a class of work, never an id or anything that a caller
chooses freely. Times are seconds.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counter:
    """Only ever grows, over all processes that there were; the name ends in ``_total``."""

    name: str
    help: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Histogram:
    """Observations by size; ``bounds`` are the buckets' upper bounds, ascending, infinity left out."""

    name: str
    help: str
    labels: tuple[str, ...]
    bounds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Gauge:
    """How something stands at the moment of the scrape."""

    name: str
    help: str
    labels: tuple[str, ...] = ()


RUN_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
WAIT_BOUNDS_S = (0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 60, 300, 1800)
CALL_BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)

# Counted by masters
REQUESTS = Counter(
    "code_judge_requests_total",
    "HTTP requests answered, by route and status; 503 and 429 are refusals that clients repeat.",
    ("route", "status"),
)
REQUEST_SECONDS = Histogram(
    "code_judge_request_seconds",
    "Time from an HTTP request's head to the end of its answer, by route.",
    ("route",),
    WAIT_BOUNDS_S,
)
SUBMISSIONS = Counter("code_judge_submissions_total", "Submissions put into the queue, by class.", ("class",))

# Counted by nodes
CLAIMS = Counter("code_judge_claims_total", "Submissions that nodes took out of the queue.")
REDELIVERIES = Counter(
    "code_judge_redeliveries_total", "Claims of submissions that a lost node had in hand before."
)
NODES_LOST = Counter("code_judge_nodes_lost_total", "Nodes that missed their heartbeats and count as dead.")
LEASE_EXPIRIES = Counter(
    "code_judge_lease_expiries_total", "Submissions taken back from nodes that were lost."
)
QUEUE_SECONDS = Histogram(
    "code_judge_queue_seconds",
    "Time that a claimed submission had waited, by class, by Redis's clock.",
    ("class",),
    WAIT_BOUNDS_S,
)
RUN_SECONDS = Histogram(
    "code_judge_run_seconds",
    "Wall time of the program of each answered submission that was run, by language.",
    ("language",),
    RUN_BOUNDS_S,
)
STARTS = Counter(
    "code_judge_starts_total",
    "Programs started, by template and how: warm is a fork of the template, cold a process started anew.",
    ("template", "how"),
)
TEMPLATE_REBUILDS = Counter(
    "code_judge_template_rebuilds_total",
    "Warm interpreters that ended and were started again.",
    ("template",),
)
COMPILE_CACHE = Counter(
    "code_judge_compile_cache_total",
    "Requests for a compiled program, by outcome: hit (there, or being compiled already) or miss.",
    ("outcome",),
)
LIMITS_HIT = Counter(
    "code_judge_limits_hit_total",
    "Processes stopped at a limit: time, memory or output, of a run or of a compilation.",
    ("limit", "stage"),
)

# Counted by both
UNKNOWN_LANGUAGE = "unknown"
"""Of what was not run, since a caller may have written anything there."""
RESULTS = Counter(
    "code_judge_results_total",
    "Results by verdict and language; of what was not run by a node that offers it: unknown.",
    ("verdict", "language"),
)
RETRIES = Counter(
    "code_judge_retries_total",
    "Work that we did again: queue_lost, pushed again since Redis had lost it; slot_lost, run again since "
    "its sandbox slot had ended.",
    ("cause",),
)
REDIS_SECONDS = Histogram(
    "code_judge_redis_seconds",
    "Time from sending Redis one of our commands to its answer, as masters and nodes see it.",
    ("command",),
    CALL_BOUNDS_S,
)

# Read at the scrape
REDIS_UP = Gauge("code_judge_redis_up", "1 where this master reaches Redis; 0 leaves all other families out.")
PAUSED = Gauge("code_judge_paused", "1 while an operator has paused the cluster.")
QUEUE_LENGTH = Gauge("code_judge_queue_length", "Submissions waiting, by class.", ("class",))
QUEUE_OLDEST = Gauge(
    "code_judge_queue_oldest_seconds",
    "How long the oldest waiting submission has waited, by class.",
    ("class",),
)
IN_FLIGHT = Gauge("code_judge_in_flight", "Submissions in nodes' hands.")
NODES = Gauge("code_judge_nodes", "Live nodes.")
NODE_INFO = Gauge(
    "code_judge_node_info",
    "1 for each live node: its version and its sandbox tier (namespaces, uids or bare).",
    ("node", "version", "sandbox"),
)
NODE_SLOTS = Gauge("code_judge_node_slots", "Worker threads of a node: what it runs at once.", ("node",))
NODE_BUSY = Gauge("code_judge_node_busy", "Those of them that have a submission in hand.", ("node",))
NODE_DRAINING = Gauge(
    "code_judge_node_draining", "1 while a node finishes what it has and leaves.", ("node",)
)
NODE_PROTECTION = Gauge(
    "code_judge_node_protection",
    "1 where this wall of a node's sandbox stands, else 0.",
    ("node", "protection"),
)

Family = Counter | Histogram | Gauge

FAMILIES: tuple[Family, ...] = tuple(
    family for family in list(globals().values()) if isinstance(family, Counter | Histogram | Gauge)
)
"""All of the above, in that order."""
