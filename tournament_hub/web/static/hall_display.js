// The wall counts down by itself: each telling carries the seconds left at that moment; no wall clock is compared.
(function () {
  "use strict";
  var lang = document.documentElement.lang;
  var told = null; // when the present fragment was written here
  var board = null;
  var spokenFor = null; // the stage whose words were said
  var round = null; // of hand-for-hand; "" = none
  var warned = null;
  var loud = false;
  var button = document.getElementById("sound");

  function clock(seconds) {
    var whole = Math.max(0, Math.ceil(seconds));
    var hours = Math.floor(whole / 3600);
    var minutes = Math.floor((whole % 3600) / 60);
    var rest = ("0" + (whole % 60)).slice(-2);
    return hours ? hours + ":" + ("0" + minutes).slice(-2) + ":" + rest : minutes + ":" + rest;
  }

  function say(text) {
    if (!loud || !text) { return; }
    var context = new AudioContext();
    var tone = context.createOscillator();
    tone.frequency.value = 880;
    tone.connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + 0.4);
    tone.onended = function () { context.close(); };
    if (window.speechSynthesis) {
      var words = new SpeechSynthesisUtterance(text);
      words.lang = lang;
      window.speechSynthesis.speak(words);
    }
  }

  // A browser lets a page sound only after somebody has touched it: the button says which it is.
  button.addEventListener("click", function () {
    loud = !loud;
    button.textContent = loud ? button.dataset.on : button.dataset.off;
    if (loud) { say(button.dataset.on); }
  });

  function tick() {
    var now = performance.now();
    var shown = document.querySelector("#hall .hall");
    if (!shown) { return; }
    if (shown !== board) {
      board = shown;
      told = now;
      var announcement = board.dataset.announcement;
      if (spokenFor !== null && spokenFor !== announcement) { say(board.dataset.speech); }
      spokenFor = announcement;
      if (round !== null && round !== board.dataset.round) {
        if (board.dataset.round === "") { say(board.dataset.roundOver); }
        else { say(board.dataset.roundSpeech); }
      }
      round = board.dataset.round;
    }
    var passed = board.dataset.counting ? (now - told) / 1000 : 0;
    var time = board.querySelector(".time");
    var left = Number(time.dataset.remaining) - passed;
    time.textContent = clock(left);
    var last = Boolean(board.dataset.counting) && left <= 60 && left > 0;
    time.classList.toggle("last", last);
    if (last && warned !== spokenFor) {
      warned = spokenFor;
      say(board.dataset.inBreak ? board.dataset.breakOver : board.dataset.lastMinute);
    }
    board.querySelectorAll("[data-down]").forEach(function (element) {
      element.textContent = clock(Number(element.dataset.down) - passed);
    });
    board.querySelectorAll("[data-at]").forEach(function (element) {
      if (element.dataset.shown) { return; } // the end stands still while the clock runs
      element.dataset.shown = "1";
      var at = new Date(Date.now() + Number(element.dataset.at) * 1000);
      element.textContent = at.toLocaleTimeString(lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    });
  }
  window.setInterval(tick, 200);
  document.addEventListener("DOMContentLoaded", tick);
  document.addEventListener("htmx:sseMessage", tick); // what has just come is never seen without its time
}());
