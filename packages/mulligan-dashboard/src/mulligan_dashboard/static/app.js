// Theme, live pages, acts and charts. Pages are made by the server; this swaps and draws.
"use strict";

const root = document.documentElement;
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const read = (name) => { try { return localStorage.getItem(name); } catch { return null; } };

// What acts take beside the cookie: it comes with the link, behind #, and only this port's pages read it.
const handed = /^#key=([0-9a-f]+)$/.exec(location.hash);
if (handed) {
  try { localStorage.setItem("mulligan-key", handed[1]); } catch { /* not kept */ }
  history.replaceState(null, "", location.pathname + location.search);
}

function applyTheme() {
  root.dataset.theme = read("mulligan-theme") || (prefersDark.matches ? "dark" : "light");
  const button = document.getElementById("theme");
  if (button) button.textContent = root.dataset.theme === "dark" ? "Switch to light" : "Switch to dark";
}
applyTheme();
prefersDark.addEventListener("change", () => { applyTheme(); drawCharts(); });

const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
const percent = (_, values) => values.map((v) => (v === null ? "" : `${Math.round(v * 1000) / 10} %`));
const whole = (_, values) => values.map((v) => (v >= 1000 ? `${v / 1000}k` : `${v}`));
const millis = (_, values) => values.map((v) => (v >= 1000 ? `${v / 1000} s` : `${v} ms`));
const fade = (name, share) => `color-mix(in srgb, ${colour(name)} ${share}%, transparent)`;
const shown = (format) => (_, v) => (v === null || v === undefined ? "" : format(null, [v])[0]);

const DAY = 86400;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (n) => String(n).padStart(2, "0");
const day = (at) => `${at.getUTCDate()} ${months[at.getUTCMonth()]}`;
const hour = (at) => `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
const times = (_, splits, __, ___, step) => splits.map((s) => { const at = new Date(s * 1000); return step >= DAY || s % DAY === 0 ? day(at) : hour(at); });
const moment = (_, s) => { if (s === null || s === undefined) return ""; const at = new Date(s * 1000); return s % DAY ? `${day(at)} ${hour(at)}` : day(at); };
const padded = (columns) => { const xs = columns[0]; const step = xs.length > 1 ? xs[xs.length - 1] - xs[xs.length - 2] : DAY; return () => [xs[0] - step / 2, xs[xs.length - 1] + step / 2]; };

let bars = null;
let charts = [];
// A share as a line, and its interval between two that are not drawn.
const drawInterval = (names) => {
  const line = { label: names[0], stroke: colour("accent"), width: 2, value: shown(percent), points: { show: true, size: 5, fill: colour("accent") } };
  const edge = (label) => ({ label, class: "ghost", stroke: "transparent", value: shown(percent), points: { show: false } });
  return { series: [{}, line, edge(names[1]), edge(names[2])], bands: [{ series: [3, 2], fill: fade("accent", 16) }] };
};
const KINDS = {
  success: (names) => ({
    ...drawInterval(names),
    y: { values: percent, range: (_, low, high) => [Math.max(0, Math.min(low ?? 0, 0.9) - 0.02), Math.min(1.005, Math.max(high ?? 1, 1))] },
  }),
  volume: (names) => ({
    series: [{}, { label: names[0], stroke: fade("accent", 60), fill: fade("accent", 26), paths: bars, value: shown(whole), points: { show: false } },
      { label: names[1], stroke: colour("bad"), fill: fade("bad", 60), paths: bars, value: shown(whole), points: { show: false } },
      { label: names[2], stroke: colour("good"), width: 1.5, value: shown(whole), points: { show: false } }],
    y: { values: whole, range: (_, __, high) => [0, Math.max(1, high * 1.08)] },
  }),
  latency: (names) => ({
    series: [{}, { label: names[0], stroke: colour("accent"), width: 2, value: shown(millis), points: { show: false } },
      { label: names[1], stroke: colour("warn"), width: 1.5, value: shown(millis), points: { show: false } }],
    y: { values: millis, range: (_, __, high) => [0, Math.max(1, high * 1.1)] },
  }),
  rate: (names) => ({
    ...drawInterval(names),
    y: { values: percent, range: (_, __, high) => [0, Math.max(0.1, Math.min(1, high * 1.1))] },
  }),
  calibration: (names) => ({
    x: { time: false, range: () => [0, 1], values: percent },
    series: [{}, { label: names[0], stroke: colour("muted"), dash: [4, 4], points: { show: false }, value: shown(percent) },
      { label: names[1], stroke: colour("accent"), width: 2, points: { size: 7, fill: colour("accent") }, value: shown(percent) }],
    y: { values: percent, range: () => [0, 1] },
  }),
};

function drawChart(box) {
  const given = JSON.parse(box.dataset.chart);
  const kind = KINDS[given.kind](given.names);
  const grid = { stroke: colour("line"), width: 1 };
  const axis = { stroke: colour("muted"), grid, ticks: { show: false }, font: "12px system-ui" };
  const legend = box.clientWidth < 420 ? 50 : 30;
  box.replaceChildren();
  if (!given.columns[0].length) return;
  kind.series[0] = kind.x ? { value: shown(percent), label: "said" } : { value: moment, label: "UTC" };
  charts.push(new uPlot({
    width: Math.max(160, box.clientWidth), height: box.clientHeight - legend,
    padding: [8, 22, 0, 0], cursor: { y: false, drag: { x: false } }, bands: kind.bands || [],
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    scales: { x: { time: !kind.x, range: kind.x ? kind.x.range : padded(given.columns) }, y: { range: kind.y.range } },
    axes: [{ ...axis, values: kind.x ? kind.x.values : times, space: 64, size: 28 }, { ...axis, values: kind.y.values, size: 48 }],
    series: kind.series,
  }, given.columns, box));
}

function drawCharts() {
  if (!window.uPlot) return;
  // A chart listens to the window and the page for as long as it is not taken down.
  charts.forEach((each) => each.destroy());
  charts = [];
  bars = uPlot.paths.bars({ size: [0.7, 28], radius: 0.15 });
  document.querySelectorAll(".chart[data-chart]").forEach(drawChart);
}

function say(text) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  toast.classList.add("shown");
  setTimeout(() => toast.classList.remove("shown"), 4000);
}

const RETRY = 2000;
const LISTEN_AGAIN = 10000;
const SETTLED = 61000;
let refreshing = false;
let again = false;
async function refresh() {
  if (refreshing) { again = true; return; }
  const page = document.getElementById("page");
  const busy = document.querySelector("dialog[open]") || page.contains(document.activeElement) && /^(SELECT|TEXTAREA|INPUT)$/.test(document.activeElement.tagName) || page.querySelector("[data-pick]:checked") || listEdits().length;
  if (busy || document.hidden) { stale = true; return; }
  refreshing = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (answer.status === 401) { location.reload(); return; }
    // A store that is busy or away for a moment: this page is still out of date.
    if (answer.status >= 500) { setTimeout(later, RETRY); return; }
    if (!answer.ok) return;
    swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch { /* the stream says that the line is down, and asks again */ } finally {
    refreshing = false;
    if (again) { again = false; later(); }
  }
}

const meta = (name, page) => page.querySelector(`meta[name="${name}"]`);
let last = "";
function swap(fresh) {
  const page = document.getElementById("page");
  const next = fresh.getElementById("page");
  if (!next || next.innerHTML === last) return;
  last = next.innerHTML;
  const focused = document.activeElement && page.contains(document.activeElement) ? document.activeElement.getAttribute("href") || document.activeElement.dataset.act : null;
  page.replaceChildren(...next.childNodes);
  const nav = fresh.querySelector(".side nav");
  if (nav) document.querySelector(".side nav").replaceChildren(...nav.childNodes);
  for (const name of ["form-token", "made-at"]) meta(name, document).content = meta(name, fresh).content;
  if (focused) for (const each of page.querySelectorAll("a, button")) if (each.getAttribute("href") === focused || each.dataset.act === focused) { each.focus({ preventScroll: true }); break; }
  drawCharts();
}

let stale = false;
let timer = null;
let settling = null;
let drawing = null;
function later() { clearTimeout(timer); timer = setTimeout(refresh, 300); }
// Figures are kept for up to a minute: once it is quiet, the last news have to show in them too.
function hear() { later(); clearTimeout(settling); settling = setTimeout(later, SETTLED); }
function catchUp() { if (stale) { stale = false; later(); } }

function listen() {
  const live = document.getElementById("live");
  const text = document.getElementById("live-text");
  const source = new EventSource(`/stream?made_at=${meta("made-at", document).content}`);
  source.onopen = () => {
    // Changes made while the page was not listening were missed.
    if (live.dataset.on === "no") later();
    live.dataset.on = "yes"; text.textContent = "live";
  };
  source.onerror = () => {
    live.dataset.on = "no"; text.textContent = "not connected";
    // A browser asks again by itself after a line that broke, and never after a refusal.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => { later(); listen(); }, LISTEN_AGAIN);
  };
  source.addEventListener("changed", hear);
  source.addEventListener("resync", hear);
  source.addEventListener("calls", (event) => {
    const call = JSON.parse(event.data).at(-1);
    text.textContent = `${call.tool} · ${call.outcome}`;
    text.title = text.textContent;
  });
}

function ask(buttons, name) {
  const dialog = document.getElementById("confirm");
  const at = (part) => document.getElementById(`confirm-${part}`);
  const [first] = buttons;
  at("title").textContent = at("yes").textContent = name;
  at("what").textContent = buttons.length > 1 ? `${buttons.length} calls` : first.dataset.what;
  at("does").textContent = first.dataset.does;
  at("error").textContent = "";
  at("note").value = "";
  at("note-label").hidden = !first.dataset.note;
  at("note").required = first.dataset.note === "needed";
  const scopes = JSON.parse(first.dataset.scopes || "[]");
  at("scope").replaceChildren(...scopes.map(([text], place) => new Option(text, place)));
  at("scope-label").hidden = !scopes.length;
  at("until").value = first.dataset.until || "";
  at("until-label").hidden = !first.dataset.until;
  at("until").required = Boolean(first.dataset.until);
  at("details").replaceChildren();
  dialog.returnValue = "";
  dialog.showModal();
  at("yes").disabled = true;
  const known = Promise.all(buttons.map(explain)).then((found) => {
    at("details").replaceChildren(...found.flatMap(([rows]) => rows));
    at("yes").disabled = false;
    return found.map(([, words]) => words);
  }, (error) => { at("error").textContent = error.message || "What it does could not be read. Open its page, and decide there."; return null; });
  dialog.querySelector("form").onsubmit = async (event) => {
    event.preventDefault();
    const shown = await known;
    if (!shown) return;
    at("yes").disabled = true;
    const failed = [];
    for (const [place, button] of buttons.entries()) {
      const words = { ...JSON.parse(button.dataset.words || "{}"), ...shown[place] };
      if (button.dataset.note) words.note = at("note").value;
      if (button.dataset.until) words.until = at("until").value;
      if (scopes.length) Object.assign(words, scopes[at("scope").value][1]);
      const wrong = await act(button.dataset.act, words);
      if (wrong) failed.push(buttons.length > 1 ? `${button.dataset.what}: ${wrong}` : wrong);
    }
    at("yes").disabled = false;
    for (const each of document.querySelectorAll("[data-pick]:checked")) each.checked = false;
    if (failed.length) { at("error").textContent = failed.join("\n"); return; }
    for (const each of listEdits()) each.value = each.defaultValue;
    dialog.close();
    say(`${name}: done`);
    last = "";
    await refresh();
  };
}

function buildRow(name, text) {
  const row = document.createElement("div");
  row.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: text }));
  return row;
}

// Nobody decides about a call unread: what was asked, what it is given, what it changes, until when.
async function explain(button) {
  const about = /^(\/api\/v1\/open\/[^/]+)\/(\w+)$/.exec(button.dataset.act);
  if (!about) return [[], {}];
  const answer = await fetch(about[1], { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error();
  const page = await answer.json();
  const shown = page.brief.map(({ name, text }) => buildRow(name, text));
  if (about[2] !== "approve") return [shown, {}];
  const edits = listEdits(), words = { version: String(page.item.version) };
  if (!edits.length) return [shown, words];
  words.changes = `{${edits.map((box) => `${JSON.stringify(box.dataset.edit)}:${readEdit(box)}`).join(",")}}`;
  const changed = edits.map((box) => buildRow(`You change ${box.dataset.edit}`, box.value));
  return [[...changed, ...shown], words];
}

// The arguments that a person has written otherwise, on the page of their one call.
const listEdits = () => [...document.querySelectorAll("#page [data-edit]")].filter((box) => box.value !== box.defaultValue);

// As JSON; numbers as they were written, for here they would lose digits.
function readEdit(box) {
  if (box.dataset.kind === "text") return JSON.stringify(box.value);
  try { JSON.parse(box.value); return box.value; } catch { throw new Error(`${box.dataset.edit}: ${box.value} is no JSON.`); }
}

const nameAct = (button) => (/\/approve$/.test(button.dataset.act) && listEdits().length ? "Approve with changes" : button.dataset.name || button.textContent);

const listPicked = (act) => [...document.querySelectorAll("[data-pick]:checked")].map((each) => each.closest("tr").querySelector(`[data-act$="/${act}"]`)).filter(Boolean);

async function act(path, words) {
  const token = meta("form-token", document).content || read("mulligan-key") || "";
  try {
    const answer = await fetch(path, {
      method: "POST", body: JSON.stringify(words),
      headers: { "content-type": "application/json", "x-form-token": token, accept: "application/json" },
    });
    if (answer.ok) return "";
    const said = await answer.json().catch(() => ({}));
    return said.error || `The server answered ${answer.status}.`;
  } catch { return "The server does not answer."; }
}

document.addEventListener("DOMContentLoaded", () => {
  applyTheme();
  if (!document.getElementById("page")) { drawCharts(); return; }
  const menu = document.querySelector(".menu");
  if (window.matchMedia("(max-width: 900px)").matches) menu.open = false;
  document.getElementById("theme").addEventListener("click", () => {
    try { localStorage.setItem("mulligan-theme", root.dataset.theme === "dark" ? "light" : "dark"); } catch { /* not kept */ }
    applyTheme();
    drawCharts();
  });
  document.getElementById("confirm-no").addEventListener("click", () => document.getElementById("confirm").close());
  document.addEventListener("click", (event) => { const button = event.target.closest("[data-act], [data-many]"); if (button && !button.disabled) ask(button.dataset.act ? [button] : listPicked(button.dataset.many), nameAct(button)); });
  document.addEventListener("change", (event) => { if (!event.target.matches("[data-pick]")) return; for (const each of document.querySelectorAll("[data-many]")) each.disabled = !listPicked(each.dataset.many).length; });
  document.addEventListener("change", (event) => { const form = event.target.closest(".filters:not([role=search])"); if (form) submit(form); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || /^(SELECT|TEXTAREA|INPUT)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    const box = document.querySelector("#page input[type=search]");
    if (box) box.focus(); else location.assign("/search#look");
  });
  if (location.hash === "#look") document.querySelector("#page input[type=search]").focus();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) catchUp(); });
  document.addEventListener("focusout", catchUp);
  document.getElementById("confirm").addEventListener("close", catchUp);
  window.addEventListener("resize", () => { clearTimeout(drawing); drawing = setTimeout(drawCharts, 150); });
  last = document.getElementById("page").innerHTML;
  drawCharts();
  listen();
});

function submit(form) {
  const said = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) said.set(name, value);
  const query = said.toString();
  location.assign(form.getAttribute("action") + (query ? `?${query}` : ""));
}
