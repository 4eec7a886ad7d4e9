// The time counts down by itself between two tellings; no wall clock is compared.
(function () {
  "use strict";
  var shown = null;
  var told = 0;
  function tick() {
    var time = document.querySelector("#time .time");
    if (!time) { return; }
    var now = performance.now();
    if (time !== shown) { shown = time; told = now; }
    var left = Number(time.dataset.remaining) - (time.dataset.counting ? (now - told) / 1000 : 0);
    var whole = Math.max(0, Math.ceil(left));
    var hours = Math.floor(whole / 3600);
    var minutes = Math.floor((whole % 3600) / 60);
    var rest = ("0" + (whole % 60)).slice(-2);
    time.textContent = (hours ? hours + ":" + ("0" + minutes).slice(-2) : minutes) + ":" + rest;
  }
  window.setInterval(tick, 200);
  document.addEventListener("DOMContentLoaded", tick);
  document.addEventListener("htmx:sseMessage", tick); // what has just come is never seen without its time
}());
