// Turns what /metrics has counted so far into what happened lately.

const FAMILY = /^(\w+?)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
const OURS = ["internal_error", "queue_timeout"];
export const WINDOW = 10; // looks over which a quantile is taken: single ones hold too few runs

/** Prometheus's text as a list of {name, labels, value}. */
export function parse(text) {
  return text.split("\n").flatMap((line) => {
    const match = line.startsWith("#") ? null : FAMILY.exec(line);
    if (!match) return [];
    const labels = Object.fromEntries([...(match[2] ?? "").matchAll(LABEL)].map(([, name, value]) => [name, value]));
    return [{ name: match[1], labels, value: Number(match[3]) }];
  });
}

/** The counts that the page shows, out of all that there are. */
export function countsOf(samples) {
  const results = samples.filter(({ name }) => name === "code_judge_results_total");
  return {
    results: sum(results),
    ours: sum(results.filter(({ labels }) => OURS.includes(labels.verdict))),
    queue: buckets(samples, "code_judge_queue_seconds_bucket"),
    run: buckets(samples, "code_judge_run_seconds_bucket"),
  };
}

/** What happened per second between two looks. A count that fell was started anew. */
export function rate(before, now, seconds) {
  return now < before ? 0 : (now - before) / seconds;
}

/** The time within which this share of what happened between two looks was done; null where nothing did. */
export function quantile(share, before, now) {
  const bounds = [...now.keys()].sort((a, b) => a - b);
  const counts = bounds.map((bound) => now.get(bound) - (before.get(bound) ?? 0));
  const total = counts.at(-1) ?? 0;
  if (!(total > 0)) return null;
  const wanted = share * total;
  const place = counts.findIndex((count) => count >= wanted);
  const [low, below] = place > 0 ? [bounds[place - 1], counts[place - 1]] : [0, 0];
  if (bounds[place] === Infinity) return low;
  return low + ((bounds[place] - low) * (wanted - below)) / (counts[place] - below);
}

function sum(samples) {
  return samples.reduce((total, { value }) => total + value, 0);
}

/** Upper bound → how many observations were at most that, over all labels. */
function buckets(samples, name) {
  const found = new Map();
  for (const { labels, value } of samples.filter((sample) => sample.name === name)) {
    const bound = labels.le === "+Inf" ? Infinity : Number(labels.le);
    found.set(bound, (found.get(bound) ?? 0) + value);
  }
  return found;
}
