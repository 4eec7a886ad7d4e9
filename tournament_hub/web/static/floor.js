// Times count down by themselves between two tellings, no wall clock is compared; a new call of the floor is felt in the pocket.
(function () {
  "use strict";
  function words(seconds) {
    var whole = Math.max(0, Math.ceil(seconds));
    var hours = Math.floor(whole / 3600);
    var minutes = Math.floor((whole % 3600) / 60);
    var rest = ("0" + (whole % 60)).slice(-2);
    return (hours ? hours + ":" + ("0" + minutes).slice(-2) : minutes) + ":" + rest;
  }
  function tick() {
    var now = performance.now();
    document.querySelectorAll(".stand .time").forEach(function (time) {
      if (time.told === undefined) { time.told = now; }
      var passed = time.dataset.counting ? (now - time.told) / 1000 : 0;
      time.textContent = words(Number(time.dataset.remaining) - passed);
    });
  }
  var title = document.title;
  var known = null;
  function calls() {
    var now = Array.prototype.map.call(document.querySelectorAll(".call-card"), function (card) { return card.id; });
    var fresh = known !== null && now.some(function (id) { return known.indexOf(id) < 0; });
    known = now;
    document.title = now.length ? "(" + now.length + ") " + title : title;
    // A browser lets a page do so only after somebody has touched it.
    var touched = navigator.userActivation && navigator.userActivation.hasBeenActive;
    if (fresh && touched && navigator.vibrate) { navigator.vibrate([200, 100, 200]); }
  }
  document.addEventListener("DOMContentLoaded", calls);
  document.addEventListener("htmx:sseMessage", calls);
  window.setInterval(tick, 250);
  document.addEventListener("DOMContentLoaded", tick);
  document.addEventListener("htmx:sseMessage", tick); // what has just come is never seen without its time
}());
