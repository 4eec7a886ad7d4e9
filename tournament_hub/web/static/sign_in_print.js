// The lists of seats are printed from the page itself.
(function () {
  "use strict";
  var button = document.getElementById("print");
  if (button) {
    button.hidden = false;
    button.addEventListener("click", function () { window.print(); });
  }
}());
