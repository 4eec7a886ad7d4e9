// The browser's own print window, from a button that says how many sheets there are.
(function () {
  "use strict";
  document.addEventListener("DOMContentLoaded", function () {
    document.getElementById("print").addEventListener("click", function () { window.print(); });
  });
}());
