"use strict";
// The rows are fetched again twice a second; a tap is sent and answered with the rows. What is folded open stays open.
const rows = document.getElementById("rows");
let busy = false;
let queue = null;
let shown = rows.innerHTML;
function put(html) {
  if (html === shown) return;
  shown = html;
  const open = [...rows.querySelectorAll("details[open]")].map((each) => each.dataset.keep);
  rows.innerHTML = html;
  for (const each of rows.querySelectorAll("details")) each.open = open.includes(each.dataset.keep);
}
async function ask(address, options) {
  if (busy) {
    if (options) queue = [address, options];
    return;
  }
  busy = true;
  try {
    const answer = await fetch(address, options);
    if (answer.ok) put(await answer.text());
  } catch (error) {
    // the table is away: the next time asks again
  } finally {
    busy = false;
    const next = queue;
    queue = null;
    if (next) ask(...next);
  }
}
let quiet = 0;
setInterval(() => {
  if (quiet > 0) quiet -= 1;
  else ask("/decks/rows");
}, 500);
rows.addEventListener("submit", (event) => {
  event.preventDefault();
  quiet = 6; // what was answered stays readable for three seconds
  ask("/decks/do", { method: "POST", body: new URLSearchParams(new FormData(event.target)) });
});
