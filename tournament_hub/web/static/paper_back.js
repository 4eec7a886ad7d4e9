// The rows of the form go as one text: however many play, the form stays small. Without this the text itself is typed.
(function () {
  "use strict";
  document.addEventListener("DOMContentLoaded", function () {
    var form = document.getElementById("back");
    if (!form) { return; }
    var text = document.getElementById("rows");
    var typed = text.value;
    function gather() {
      var lines = [];
      form.querySelectorAll("tr[data-entry]").forEach(function (row) {
        var parts = [row.dataset.entry];
        ["out", "place", "stack"].forEach(function (part) {
          var input = row.querySelector("[data-part=" + part + "]");
          parts.push(input ? input.value.replace(/;/g, " ").trim() : "");
        });
        row.classList.toggle("gone", parts[1] !== "");
        lines.push(parts.join(" ; "));
      });
      form.querySelectorAll("[data-button]").forEach(function (input) {
        if (input.value.trim()) { lines.push("= " + input.dataset.button + " ; " + input.value.trim()); }
      });
      return lines.join("\n");
    }
    form.addEventListener("input", function (event) {
      if (event.target !== text) { text.value = gather(); typed = text.value; }
    });
    form.addEventListener("submit", function () {
      if (text.value === typed) { text.value = gather(); } // else the text was typed by hand, and it counts
    });
    gather();
  });
}());
