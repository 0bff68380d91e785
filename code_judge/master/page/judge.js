// Speaks to the judge that this page came from, with the API key where it wants one.

import { byId } from "./dom.js";

const KEY = "code-judge-key"; // in this tab's storage

/** Thrown where the judge gave no answer or refused; the message is for people. */
export class JudgeError extends Error {}

/** The answer to a request, once it is a good one. Asks for a key where one is missing. */
export async function ask(path, options = {}) {
  for (;;) {
    const key = sessionStorage.getItem(KEY);
    const headers = { ...options.headers, ...(key === null ? {} : { "x-api-key": key }) };
    const answer = await fetch(path, { ...options, headers, cache: "no-store" }).catch(() => {
      throw new JudgeError("The judge cannot be reached.");
    });
    if (answer.status === 401) {
      await newKey(key);
    } else if (answer.ok) {
      return answer;
    } else {
      throw new JudgeError(await reason(answer));
    }
  }
}

async function reason(answer) {
  try {
    return (await answer.json()).detail;
  } catch {
    return `The judge answered ${answer.status}.`;
  }
}

let asking = null;

/** Wait until a person has given another key than `refused`; one dialog for all who wait. */
function newKey(refused) {
  if (sessionStorage.getItem(KEY) !== refused) return Promise.resolve(); // given meanwhile
  asking ??= new Promise((resolve) => {
    const dialog = byId("key-dialog");
    byId("key-problem").hidden = refused === null;
    byId("key").value = "";
    // Without a key there is nothing to see behind the dialog: it stays until there is one.
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    byId("key-form").addEventListener("submit", () => {
      sessionStorage.setItem(KEY, encodedForHeader(byId("key").value.trim()));
      asking = null;
      resolve();
    }, { once: true });
    dialog.showModal();
  });
  return asking;
}

/** Headers carry Latin-1 only; the judge compares bytes. */
function encodedForHeader(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
