// What the pages do in the browser: keys, the place that an address names, an answer as it comes. No page needs it to be read.
(() => {
  "use strict";

  const typing = (element) => element.closest("input, textarea, select, [contenteditable]") !== null;

  // j and k go down and up the rows of a page; Enter opens the first link of the row.
  const step = (by) => {
    const rows = [...document.querySelectorAll("main [data-row]")].filter((row) => row.getClientRects().length > 0);
    if (rows.length === 0) return;
    const now = rows.findIndex((row) => row.classList.contains("at"));
    const next = Math.min(rows.length - 1, Math.max(0, now < 0 ? (by > 0 ? 0 : rows.length - 1) : now + by));
    if (now >= 0) rows[now].classList.remove("at");
    rows[next].classList.add("at");
    const link = rows[next].querySelector("a, summary, button");
    if (link) link.focus({ preventScroll: true });
    rows[next].scrollIntoView({ block: "nearest" });
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target)) return;
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("find")?.select();
      document.getElementById("find")?.focus();
    } else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  });

  // An address says where by its fragment (#m=12&c=140-182), which no server sees: the page that marks these words is asked for.
  const place = /^#m=(\d+)(?:&c=([\d,-]+))?$/;
  const follow = () => {
    const named = place.exec(window.location.hash);
    if (named === null || document.querySelector(".messages[data-session]") === null) return;
    const asked = new URLSearchParams({ m: named[1] });
    if (named[2]) asked.set("c", named[2]);
    window.location.replace(`${window.location.pathname}?${asked}#m${named[1]}`);
  };
  window.addEventListener("hashchange", follow);
  follow();

  // The cited words come into sight, wherever their message begins.
  const mark = document.querySelector(".message.cited mark");
  if (mark && place.exec(window.location.hash) === null) mark.scrollIntoView({ block: "center", behavior: "instant" });

  // An answer as it is made: the draft as text, then the piece of the page that takes its place.
  const place_of_answer = document.querySelector("[data-stream]");
  if (place_of_answer) {
    const draft = place_of_answer.querySelector(".draft");
    const stream = new EventSource(place_of_answer.dataset.stream);
    place_of_answer.querySelector(".without").hidden = true;
    stream.addEventListener("draft", (event) => {
      draft.hidden = false;
      draft.textContent += JSON.parse(event.data);
    });
    stream.addEventListener("answer", (event) => {
      stream.close();
      place_of_answer.innerHTML = JSON.parse(event.data);
    });
    stream.addEventListener("error", () => {
      stream.close();
      place_of_answer.querySelector(".waiting").hidden = true;
      place_of_answer.querySelector(".without").hidden = false;
    });
  }

  // The csrf token goes with what htmx sends, as with a form.
  document.addEventListener("htmx:configRequest", (event) => {
    const token = document.querySelector('meta[name="csrf"]');
    if (token) event.detail.headers["X-CSRF-Token"] = token.content;
  });
})();
