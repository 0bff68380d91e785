// What the judge failed at lately.

import { make } from "./dom.js";
import { ago } from "./words.js";

/** Show these, newest first. */
export function showFailures(place, failures) {
  if (!failures.length) {
    place.replaceChildren(make("p", { class: "empty good" }, "None: whatever came was judged."));
    return;
  }
  const rows = failures.map((failure) => make("tr", {},
    make("td", { class: "when", title: new Date(failure.at * 1000).toISOString() },
      `${ago(Date.now() / 1000 - failure.at)} ago`),
    make("td", {}, make("span", { class: "badge warn" }, words(failure.verdict)),
      failure.attempts > 1 ? make("small", {}, ` ${failure.attempts} attempts`) : null),
    make("td", {}, make("span", {}, failure.why || "–"),
      make("small", { class: "mono" }, [failure.node, failure.work_id].filter(Boolean).join(" · ")))));
  place.replaceChildren(make("div", { class: "card scroll" }, make("table", { class: "failures" },
    make("thead", {}, make("tr", {}, ...["When", "Verdict", "What happened"].map((head) => make("th", {}, head)))),
    make("tbody", {}, ...rows))));
}

/** A verdict's name for people. */
export function words(verdict) {
  return verdict.replaceAll("_", " ");
}
