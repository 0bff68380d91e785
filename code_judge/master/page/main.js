// The page's clock: looks at the cluster every two seconds while somebody looks at the page.

import { byId, make } from "./dom.js";
import { showFailures } from "./failures.js";
import { countsOf, parse, quantile, rate, WINDOW } from "./figures.js";
import { ask, JudgeError } from "./judge.js";
import { showNodes } from "./nodes.js";
import { Plot } from "./plot.js";
import { offerLanguages, startTryIt } from "./tryit.js";
import { count, digits, seconds } from "./words.js";

const PAUSE_S = 2;
const SPAN_S = 300; // what the plots show
const SMOOTH = 3; // looks over which a rate is taken: nodes tell their counts once a second
const TIMES = [{ name: "median", className: "first" }, { name: "95 %", className: "second" }];

const plots = {
  results: new Plot("Results per second",
    [{ name: "all", className: "first" }, { name: "failures of ours", className: "ours" }], digits, SPAN_S),
  waiting: new Plot("Submissions",
    [{ name: "waiting", className: "first" }, { name: "running", className: "second" }], digits, SPAN_S),
  queue: new Plot("Time in the queue", TIMES, seconds, SPAN_S),
  run: new Plot("Time of a run", TIMES, seconds, SPAN_S),
};
const looks = []; // {at, counts}, oldest first

async function look() {
  const [cluster, metrics, failures] = await Promise.all([
    ask("cluster").then((answer) => answer.json()),
    ask("metrics").then((answer) => answer.text()),
    ask("cluster/failures").then((answer) => answer.json()),
  ]);
  const at = performance.now() / 1000;
  const samples = parse(metrics);
  showGlance(cluster);
  showState(cluster, samples.some(({ name, value }) => name === "code_judge_paused" && value === 1));
  showPlots(cluster, countsOf(samples), at);
  showNodes(byId("node-list"), cluster.nodes, at);
  showFailures(byId("failure-list"), failures);
  offerLanguages(cluster.languages);
}

function waitingIn(cluster) {
  return Object.values(cluster.queued).reduce((total, one) => total + one, 0);
}

function showGlance(cluster) {
  const waiting = waitingIn(cluster);
  byId("glance").replaceChildren(
    make("b", {}, count(cluster.nodes.length, "node")), ", ",
    make("b", {}, `${cluster.busy} of ${count(cluster.slots, "thread")}`), " busy, ",
    make("b", {}, waiting ? count(waiting, "submission") : "nothing"), " waiting.");
}

function showState(cluster, paused) {
  if (paused) setState("warn", "paused");
  else if (!cluster.slots) setState("bad", "no worker");
  else setState("good", "working");
}

function setState(kind, text) {
  byId("state").className = `state ${kind}`;
  byId("state").textContent = text;
}

function showPlots(cluster, counts, at) {
  looks.push({ at, counts });
  if (looks.length > WINDOW) looks.shift();
  const before = looks.at(-1 - Math.min(SMOOTH, looks.length - 1));
  const elapsed = at - before.at;
  const per = (name) => (elapsed ? rate(before.counts[name], counts[name], elapsed) : null);
  plots.results.add(at, [per("results"), per("ours")]);
  plots.waiting.add(at, [waitingIn(cluster), cluster.in_flight]);
  for (const name of ["queue", "run"]) {
    plots[name].add(at, [0.5, 0.95].map((share) => quantile(share, looks[0].counts[name], counts[name])));
  }
}

async function keepLooking() {
  for (;;) {
    try {
      if (!document.hidden) await look();
    } catch (error) {
      if (!(error instanceof JudgeError)) throw error;
      setState("bad", "out of reach");
      byId("glance").textContent = error.message;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_S * 1000));
  }
}

byId("plots").append(...Object.values(plots).map((plot) => plot.element));
startTryIt();
keepLooking();
