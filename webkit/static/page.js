// Keeps a live page honest: says when the line to the server is lost, and lets ages grow while nothing comes.
(function () {
  "use strict";
  var SILENCE_MS = 30000; // three pulses of the server
  var stream = null;
  var heard = performance.now();
  var instance = null;
  var reloading = false;

  function show(lost) {
    var banner = document.getElementById("line-lost");
    if (banner) { banner.hidden = !lost; }
    document.body.classList.toggle("stale", lost);
  }

  // Load the page afresh, but only once the server answers: a reload without it would leave the screen empty.
  function reloadWhenThere() {
    if (reloading) { return; }
    reloading = true;
    function probe() {
      fetch(window.location.pathname, { method: "HEAD", cache: "no-store" }).then(
        function () { window.location.reload(); },
        function () { window.setTimeout(probe, 2000); }
      );
    }
    probe();
  }

  document.addEventListener("htmx:sseOpen", function (event) {
    stream = event.detail.source;
    heard = performance.now();
    show(false);
    if (stream.watched) { return; }
    stream.watched = true;
    stream.addEventListener("pulse", function (pulse) {
      heard = performance.now();
      // Another run of the server may have other pages: take them.
      if (instance !== null && instance !== pulse.data) { reloadWhenThere(); }
      instance = pulse.data;
    });
  });
  document.addEventListener("htmx:sseMessage", function () { heard = performance.now(); });
  document.addEventListener("htmx:sseError", function () {
    show(true);
    // Closed for good: the server is away, or answers with something else than a stream (a device that was sent away).
    if (stream && stream.readyState === EventSource.CLOSED) { reloadWhenThere(); }
  });

  // An age is what the server said when it wrote the fragment, plus what has passed here since. No wall clock.
  function tick() {
    var now = performance.now();
    document.querySelectorAll("[data-age]").forEach(function (element) {
      if (element.writtenAt === undefined) { element.writtenAt = now; }
      var age = Number(element.dataset.age) + (now - element.writtenAt) / 1000;
      element.textContent = element.dataset.ageText.replace("#", String(Math.floor(age)));
    });
    if (stream && now - heard > SILENCE_MS) { show(true); }
    if (stream && now - heard > 2 * SILENCE_MS) { reloadWhenThere(); }
  }
  window.setInterval(tick, 1000);
}());
