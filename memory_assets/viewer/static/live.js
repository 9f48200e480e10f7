// The log as it grows: a row for each event that comes, the newest on top. Text is set as text, never as HTML.
(() => {
  "use strict";

  const rows = document.getElementById("live");
  const state = document.getElementById("live-state");
  const pause = document.getElementById("live-pause");
  if (!rows || !state || !pause || !window.EventSource) return;
  const most = Number(rows.dataset.most);
  let after = rows.dataset.after;
  let source = null;
  let waiting = [];
  let frame = 0;

  const cell = (row, text, name) => {
    const made = row.insertCell();
    if (name) made.className = name;
    if (text) made.textContent = text;
    return made;
  };

  const made = (event) => {
    const row = document.createElement("tr");
    row.className = "new";
    cell(row, String(event.seq), "n");
    const time = document.createElement("time");
    time.dateTime = event.ts;
    time.textContent = event.ts.slice(0, 16).replace("T", " ");
    cell(row, "").append(time);
    const type = document.createElement("code");
    type.textContent = event.event_type;
    cell(row, "").append(type);
    cell(row, event.stage, "opt");
    const session = cell(row, "");
    if (event.session_id) {
      const link = document.createElement("a");
      link.className = "said";
      link.dir = "auto";
      link.href = `/sessions/${encodeURIComponent(event.session_id)}`;
      link.textContent = (event.title || event.session_id).slice(0, 80);
      session.append(link);
    }
    const project = document.createElement("span");
    project.className = "said";
    project.textContent = (event.project || "").slice(0, 40);
    cell(row, "", "opt").append(project);
    return row;
  };

  // What came since the last frame is put in at once; of a burst only the rows that stay are made.
  const show = () => {
    frame = 0;
    const came = waiting.slice(-most);
    waiting = [];
    const block = document.createDocumentFragment();
    for (const event of came.reverse()) block.append(made(event));
    rows.prepend(block);
    while (rows.rows.length > most) rows.deleteRow(-1);
  };

  const open = () => {
    source = new EventSource(`/live?after=${encodeURIComponent(after)}`);
    source.addEventListener("open", () => { state.textContent = state.dataset.open; state.classList.add("on"); });
    source.addEventListener("error", () => { state.textContent = state.dataset.closed; state.classList.remove("on"); });
    source.addEventListener("log", (message) => {
      after = message.lastEventId;
      waiting.push(JSON.parse(message.data));
      if (!frame) frame = window.setTimeout(show, 100);
    });
  };

  const close = () => {
    if (source) source.close();
    source = null;
    state.textContent = state.dataset.paused;
    state.classList.remove("on");
  };

  pause.hidden = false;
  pause.addEventListener("click", () => {
    if (source) { close(); pause.textContent = pause.dataset.goOn; }
    else { open(); pause.textContent = pause.dataset.pause; }
  });
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  open();
})();
