// Narrows the list of people while somebody types: every word typed begins a word of the name, or the number in the club.
(function () {
  "use strict";
  var field = document.getElementById("find");
  var form = document.getElementById("walk-in");
  var fresh = form.querySelector("button.new");
  var nobody = document.getElementById("nobody");
  var lost = document.getElementById("not-saved");

  function folded(text) {
    return text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/[^\p{L}\p{N}()]+/gu, " ").trim();
  }

  function found() {
    return Array.prototype.filter.call(document.querySelectorAll("#people li[data-fold]"), function (row) { return !row.hidden; });
  }

  function narrow() {
    var words = folded(field.value).split(" ").filter(Boolean);
    document.querySelectorAll("#people li[data-fold]").forEach(function (row) {
      var parts = row.dataset.fold.split(" ");
      row.hidden = !words.every(function (word) {
        return parts.some(function (part) { return part.indexOf(word) === 0; });
      });
    });
    var typed = field.value.trim();
    nobody.hidden = !typed || found().length > 0;
    fresh.textContent = typed ? fresh.dataset.text.replace("#", typed) : fresh.dataset.empty;
    fresh.classList.toggle("big", !nobody.hidden);
  }

  field.addEventListener("input", narrow);
  // Enter: the one who is left; somebody new only when nobody is.
  field.addEventListener("keydown", function (event) {
    if (event.key !== "Enter") { return; }
    var left = found();
    if (!field.value.trim() || left.length > 1) { event.preventDefault(); return; }
    if (left.length === 1) {
      event.preventDefault();
      left[0].querySelector("button[value=arrive]").click();
    }
  });
  document.body.addEventListener("htmx:sseMessage", narrow);
  document.body.addEventListener("htmx:afterSwap", function (event) {
    // The answer to a tap (its row may be another one by now). Done: ready for the next name.
    if (event.target.id === "notice") {
      lost.hidden = true;
      if (field.value && !event.target.querySelector(".bad")) {
        field.value = "";
        field.focus();
      }
    }
    narrow();
  });
  function notSaved() { lost.hidden = false; }
  document.body.addEventListener("htmx:sendError", notSaved);
  document.body.addEventListener("htmx:responseError", notSaved);
  document.body.addEventListener("htmx:timeout", notSaved);
  narrow();
}());
