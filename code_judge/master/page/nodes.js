// The nodes as cards. One that leaves stays for a while, so that its going is seen.

import { make } from "./dom.js";
import { ago, count } from "./words.js";

const REMEMBERED_S = 90;
const MOST_CELLS = 128; // threads drawn one by one; more become a bar

const known = new Map(); // node's name → {node, goneAt, open}

/** Show these live nodes, and those that were here until lately. `at` is seconds. */
export function showNodes(list, nodes, at) {
  const live = new Set(nodes.map((node) => node.name));
  for (const node of nodes) known.set(node.name, { node, goneAt: null });
  for (const [name, entry] of known) {
    if (live.has(name)) continue;
    entry.goneAt ??= at;
    if (at - entry.goneAt > REMEMBERED_S) known.delete(name);
  }
  const unfolded = new Set([...list.querySelectorAll("details[open]")].map((part) => part.dataset.node));
  const cards = [...known.values()]
    .sort((one, other) => one.node.name.localeCompare(other.node.name))
    .map((entry) => card(entry, at, unfolded.has(entry.node.name)));
  list.replaceChildren(...(cards.length ? cards : [nothing()]));
}

function nothing() {
  return make("p", { class: "empty" }, "No node is here. Start one: ", make("code", {}, "python run_workers.py"));
}

function card({ node, goneAt }, at, unfolded) {
  const gone = goneAt !== null;
  const weak = node.protections.filter((wall) => !wall.active);
  return make("article", { class: `card node${gone ? " gone" : ""}`, "data-node": node.name },
    make("div", { class: "row" },
      make("h3", {}, node.name),
      make("span", { class: "spacer" }),
      state(node, goneAt, at)),
    make("p", { class: "meta" }, [
      node.host,
      `version ${node.version}`,
      `up ${ago(Date.now() / 1000 - node.started_at)}`,
    ].join(" · ")),
    gone ? null : threads(node),
    make("p", { class: "languages" }, ...node.languages.map((language) =>
      make("span", { title: language.version }, make("b", {}, language.name), ` ${version(language.version)}`))),
    walls(node, weak, unfolded));
}

function state(node, goneAt, at) {
  if (goneAt !== null) return make("span", { class: "badge bad" }, `gone ${ago(at - goneAt)}`);
  if (node.draining) return make("span", { class: "badge warn" }, "draining");
  return make("span", { class: `badge tier-${node.sandbox}` }, node.sandbox);
}

function threads(node) {
  const told = `${node.busy} of ${count(node.slots, "thread")} busy`;
  const picture = make("div", { class: "threads", role: "img", "aria-label": told });
  if (node.slots <= MOST_CELLS) {
    for (let index = 0; index < node.slots; index += 1) {
      picture.append(make("i", index < node.busy ? { class: "busy" } : {}));
    }
  } else {
    const bar = make("i", { class: "busy bar" });
    bar.style.flexGrow = node.busy;
    const rest = make("i", { class: "bar" });
    rest.style.flexGrow = node.slots - node.busy;
    picture.append(bar, rest);
  }
  return make("div", { class: "load" }, picture, make("small", {}, told));
}

function walls(node, weak, unfolded) {
  const summary = weak.length
    ? make("summary", { class: "weak" }, `Not protected: ${weak.map((wall) => wall.name).join(", ")}`)
    : make("summary", {}, `All ${node.protections.length} protections stand`);
  const rows = node.protections.map((wall) => make("li", { class: wall.active ? "stands" : "fallen" },
    make("b", {}, wall.name), make("span", {}, wall.detail)));
  const part = make("details", { "data-node": node.name }, summary, make("ul", { class: "walls" }, ...rows));
  part.open = unfolded;
  return part;
}

/** The number in what a compiler or interpreter says of itself. */
function version(text) {
  return /\d+(\.\d+)+/.exec(text)?.[0] ?? text;
}
