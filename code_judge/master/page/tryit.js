// Runs a program and shows all that is known of its end.

import { byId, make } from "./dom.js";
import { words } from "./failures.js";
import { ask, JudgeError } from "./judge.js";
import { count, digits, seconds } from "./words.js";

const STARTERS = {
  python: "name = input()\nprint(f\"Hello, {name}!\")\n",
  cpp: "#include <bits/stdc++.h>\n\nint main() {\n    std::string name;\n    std::getline(std::cin, name);\n" +
    "    std::cout << \"Hello, \" << name << \"!\\n\";\n}\n",
};
const MEANINGS = {
  accepted: "It ran to a clean end and printed what was expected.",
  ran: "It ran to a clean end. Nothing was expected of its output.",
  wrong_answer: "It ran to a clean end, but printed something else.",
  runtime_error: "It ended with another exit code than 0, or by a signal.",
  compile_error: "The compiler refused it. Nothing was run.",
  time_limit: "It used up its time and was killed.",
  memory_limit: "It needed more memory than it may have.",
  output_limit: "It printed more than is kept and was killed.",
  queue_timeout: "No worker was free in time. This says nothing of the program: run it again.",
  invalid_input: "It could not be judged as it was sent.",
  internal_error: "The judge failed. This says nothing of the program: run it again.",
};
const GOOD = ["accepted", "ran"];
const OURS = ["queue_timeout", "internal_error"];

/** Make the form work. */
export function startTryIt() {
  const form = byId("try-form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  byId("input").value = "world\n";
  byId("language").addEventListener("change", offerStarter);
  offerLanguages(["python"]);
}

/** Have these languages in the list; the chosen one stays. */
export function offerLanguages(languages) {
  const list = byId("language");
  const offered = [...list.options].map((option) => option.value);
  if (!languages.length || offered.join() === languages.join()) return;
  const chosen = list.value || "python";
  list.replaceChildren(...languages.map((name) => make("option", { value: name }, name)));
  list.value = languages.includes(chosen) ? chosen : languages[0];
  offerStarter();
}

/** A first program of the chosen language, unless somebody has written one. */
function offerStarter() {
  const editor = byId("solution");
  const untouched = editor.value === "" || Object.values(STARTERS).includes(editor.value);
  if (untouched) editor.value = STARTERS[byId("language").value] ?? "";
}

async function run() {
  const button = byId("run");
  const started = performance.now();
  button.disabled = true;
  byId("verdict").replaceChildren(make("p", { class: "waiting" }, "Running…"));
  try {
    const answer = await ask("run?detail=full", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(submission()),
    });
    show(await answer.json(), (performance.now() - started) / 1000);
  } catch (error) {
    if (!(error instanceof JudgeError)) throw error;
    byId("verdict").replaceChildren(make("p", { class: "problem" }, error.message));
  } finally {
    button.disabled = false;
  }
}

function submission() {
  const expected = byId("expected").value;
  return {
    type: byId("language").value,
    solution: byId("solution").value,
    input: byId("input").value,
    ...(expected === "" ? {} : { expected_output: expected }),
  };
}

function show(result, tookS) {
  const kind = GOOD.includes(result.verdict) ? "good" : OURS.includes(result.verdict) ? "warn" : "bad";
  byId("verdict").replaceChildren(
    make("div", { class: `banner ${kind}` },
      make("strong", { id: "verdict-name" }, words(result.verdict)),
      make("span", {}, MEANINGS[result.verdict] ?? "")),
    make("dl", { class: "facts" }, ...facts(result, tookS).flatMap(([name, value]) =>
      [make("div", {}, make("dt", {}, name), make("dd", {}, value))])),
    ...stream("stdout", result.stdout, result.stdout_truncated),
    ...stream("stderr", result.stderr, result.stderr_truncated));
}

function facts(result, tookS) {
  return [
    result.exit_code === null ? ["Signal", result.signal ?? "–"] : ["Exit code", String(result.exit_code)],
    ["CPU time", seconds(result.cpu_time)],
    ["Wall time", seconds(result.wall_time)],
    ["Peak memory", `${digits(result.peak_memory_mb)} MB`],
    ["In the queue", seconds(result.queue_time)],
    ["Answered within", seconds(tookS)],
    ["Node", result.node ?? "–"],
    ["Tried by", count(result.attempts, "node")],
  ];
}

function stream(name, text, cut) {
  if (!text) return [];
  return [make("div", { class: "stream" }, make("small", {}, cut ? `${name}, cut` : name),
    make("pre", { id: name }, text))];
}
