"use strict";
// The rows are fetched again every second; a tap on a step is sent and answered with the rows.
const rows = document.getElementById("rows");
let busy = false;
async function fetchRows(address, options) {
  if (busy) return;
  busy = true;
  try {
    const answer = await fetch(address, options);
    if (answer.ok) rows.innerHTML = await answer.text();
  } catch (error) {
    // the table is away: the next second asks again
  } finally {
    busy = false;
  }
}
setInterval(() => fetchRows("/settings/rows"), 1000);
rows.addEventListener("submit", (event) => {
  event.preventDefault();
  fetchRows("/settings/measure", { method: "POST", body: new URLSearchParams(new FormData(event.target)) });
});
