// The dealer's page: buttons that are held, number pads, seats chosen with one stroke, the screen turned or locked.
(function () {
  "use strict";
  var HOLD_MS = 1000;
  var PRESS_MS = 600;
  var LOCK_S = 15;
  var hint = null;
  var hintTimer = 0;

  function tell(text) {
    hint = hint || document.getElementById("hint");
    hint.textContent = text;
    hint.hidden = false;
    window.clearTimeout(hintTimer);
    hintTimer = window.setTimeout(function () { hint.hidden = true; }, 2500);
  }
  function word(name) { return document.getElementById("hint").dataset[name]; }
  function close() { document.getElementById("sheet").replaceChildren(); }

  // A part that would read the same is left alone: nothing moves under a finger.
  document.addEventListener("htmx:sseBeforeMessage", function (event) {
    var element = event.target;
    var data = event.detail.data;
    if (element.lastData === data) { event.preventDefault(); return; }
    element.lastData = data;
  });
  document.addEventListener("htmx:oobAfterSwap", function (event) {
    if (event.detail.target) { event.detail.target.lastData = undefined; }
    tick();
  });
  document.addEventListener("htmx:afterSwap", tick);
  document.addEventListener("htmx:sendError", function () { tell(word("lost")); });
  document.addEventListener("htmx:responseError", function () { tell(word("lost")); });

  // -- held buttons, long presses -------------------------------------------------------------------------
  var held = null;
  function let_go(done) {
    if (!held) { return; }
    window.clearTimeout(held.timer);
    held.element.classList.remove("holding");
    if (!done && held.kind === "hold") { tell(word("hold")); }
    held = null;
  }
  function take(element, kind, ms, then) {
    let_go(true);
    element.classList.add("holding");
    held = { element: element, kind: kind, timer: window.setTimeout(function () { let_go(true); then(); }, ms) };
  }
  function fire(button) {
    var form = button.closest("form");
    if (form && form.isConnected) { htmx.trigger(form, "held"); }
  }
  function open_seat(element) {
    htmx.ajax("GET", element.dataset.press, { target: "#sheet", swap: "innerHTML" });
  }
  document.addEventListener("pointerdown", function (event) {
    var button = event.target.closest("[data-hold]");
    if (button && button.tagName === "BUTTON") { take(button, "hold", HOLD_MS, function () { fire(button); }); return; }
    var seat = event.target.closest("li[data-press]");
    if (seat) { take(seat, "press", PRESS_MS, function () { seat.opened = true; open_seat(seat); }); }
  });
  ["pointerup", "pointercancel"].forEach(function (name) {
    document.addEventListener(name, function () { let_go(false); });
  });
  document.addEventListener("keydown", function (event) {
    if (event.repeat || (event.key !== "Enter" && event.key !== " ")) { return; }
    var button = event.target.closest("[data-hold]");
    if (button && button.tagName === "BUTTON") {
      event.preventDefault();
      take(button, "hold", HOLD_MS, function () { fire(button); });
    } else if (event.target.matches("li[data-press]")) {
      event.preventDefault();
      open_seat(event.target);
    }
  });
  document.addEventListener("keyup", function () { let_go(false); });
  document.addEventListener("contextmenu", function (event) { event.preventDefault(); });

  // -- sheets ----------------------------------------------------------------------------------------------
  function field(inside) { return inside.closest("fieldset").querySelector("input"); }
  function digit(button) {
    var input = field(button);
    var value = input.value;
    if (button.dataset.digit === "del") { value = value.slice(0, -1); } else { value = value + button.dataset.digit; }
    input.value = value.replace(/^0+/, "").slice(0, 12);
  }
  function chip(button) {
    var input = field(button);
    var chips = input.value ? input.value.split(",") : [];
    if (button.dataset.chip === "del") { chips.pop(); } else { chips.push(button.dataset.chip); }
    input.value = chips.join(",");
    var sum = chips.reduce(function (total, each) { return total + Number(each); }, 0);
    button.closest("fieldset").querySelector(".put").textContent = chips.length ? chips.join(" + ") + " = " + sum : "—";
  }
  function keep(group) {
    var chosen = [];
    group.querySelectorAll("[aria-checked='true']").forEach(function (each) {
      chosen.push(each.dataset.seat || each.dataset.value);
    });
    field(group).value = chosen.join(",");
  }
  function choose(button, on) {
    var group = button.closest(".pick");
    if (group.classList.contains("one")) {
      group.querySelectorAll("button").forEach(function (each) { each.setAttribute("aria-checked", "false"); });
      on = true;
    }
    button.setAttribute("aria-checked", on ? "true" : "false");
    keep(group);
  }
  // One stroke over several seats sets them all to what the first of them becomes.
  var stroke = null;
  document.addEventListener("pointerdown", function (event) {
    var button = event.target.closest(".pick:not(.one) button");
    if (!button) { return; }
    stroke = { group: button.closest(".pick"), on: button.getAttribute("aria-checked") !== "true" };
    choose(button, stroke.on);
    if (button.hasPointerCapture && button.hasPointerCapture(event.pointerId)) { button.releasePointerCapture(event.pointerId); }
  });
  document.addEventListener("pointermove", function (event) {
    if (!stroke) { return; }
    var under = document.elementFromPoint(event.clientX, event.clientY);
    var button = under && under.closest(".pick button");
    if (button && button.closest(".pick") === stroke.group) { choose(button, stroke.on); }
  });
  ["pointerup", "pointercancel"].forEach(function (name) {
    document.addEventListener(name, function () { stroke = null; });
  });
  document.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (!button) {
      if (event.target.classList.contains("cover")) { close(); return; }
      var seat = event.target.closest("li[data-press]");
      if (seat && !seat.opened) { tell(word("press")); }
      if (seat) { seat.opened = false; }
      return;
    }
    if (button.dataset.close) { close(); }
    else if (button.dataset.digit) { digit(button); }
    else if (button.dataset.preset) { field(button).value = button.dataset.preset; }
    else if (button.dataset.chip) { chip(button); }
    else if (button.closest(".pick.one")) { choose(button, true); }
    else if (button.closest(".pick") && event.detail === 0) {  // by keyboard
      choose(button, button.getAttribute("aria-checked") !== "true");
    }
    else if (button.id === "turn-screen") { turn(!document.body.classList.contains("turned")); }
    else if (button.id === "lock-screen") { lock(); }
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { close(); } });

  // -- the screen itself -----------------------------------------------------------------------------------
  function turn(on) {
    document.body.classList.toggle("turned", on);
    try { window.sessionStorage.setItem("turned", on ? "1" : "0"); } catch (refused) { /* private mode */ }
  }
  function begin() {
    var kept = null;
    try { kept = window.sessionStorage.getItem("turned"); } catch (refused) { /* private mode */ }
    turn(kept === null ? document.body.dataset.rotate === "180" : kept === "1");
    tick();
  }
  function lock() {
    var cover = document.getElementById("lock");
    var count = document.getElementById("lock-count");
    var until = performance.now() + LOCK_S * 1000;
    close();
    cover.hidden = false;
    (function down() {
      var left = Math.ceil((until - performance.now()) / 1000);
      count.textContent = String(Math.max(left, 0));
      if (left <= 0) { cover.hidden = true; return; }
      window.setTimeout(down, 200);
    }());
  }

  // What is left of a level or of a player's time: what the server said, less what has passed here since.
  function tick() {
    var now = performance.now();
    document.querySelectorAll("[data-left]").forEach(function (element) {
      if (element.writtenAt === undefined) { element.writtenAt = now; }
      var passed = element.dataset.runs === "1" ? (now - element.writtenAt) / 1000 : 0;
      var left = Math.max(0, Math.ceil(Number(element.dataset.left) - passed));
      if (element.dataset.over) { element.textContent = left ? left + " s" : element.dataset.over; return; }
      element.textContent = Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0");
    });
  }
  window.setInterval(tick, 250);
  begin();
}());
