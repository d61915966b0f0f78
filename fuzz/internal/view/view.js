"use strict";

// All texts of programs are set by textContent, so that none is read as markup.

const find = id => document.getElementById(id);
const count = n => n.toLocaleString("en-US");
const counted = (n, one, many = one + "s") => count(n) + " " + (n === 1 ? one : many);

// make returns a new element with attributes and children. A child that is a text becomes a text
// node. The attribute "click" is a function.
function make(tag, attributes = {}, ...children) {
  const e = tag === "svg" || make.svg.includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") e.addEventListener("click", value);
    else if (value !== false && value !== undefined) e.setAttribute(name, value === true ? "" : value);
  }
  e.append(...children.flat().filter(c => c !== undefined && c !== false));
  return e;
}
make.svg = ["path", "polyline", "text", "title"];

// list returns a heading and a list of texts, nothing if there are no texts.
function list(heading, texts, className) {
  if (!texts || texts.length === 0) return [];
  return [make("h2", {}, heading), make("ul", {class: className}, texts.map(t => make("li", {}, t)))];
}

// redraw replaces the children of an element. The focus stays on what has the same address or text.
function redraw(e, ...children) {
  const key = f => f.getAttribute("href") || f.getAttribute("aria-label") || f.textContent;
  const before = e.contains(document.activeElement) && key(document.activeElement);
  e.replaceChildren(...children);
  const same = before && [...e.querySelectorAll("a, button, summary, [tabindex]")].find(f => key(f) === before);
  if (same) same.focus({preventScroll: true});
}

function say(text, bad = false) {
  find("status").textContent = text;
  find("status").classList.toggle("bad", bad);
}

// ask returns the answer to a question. A question that changes files is sent by POST.
async function ask(question, args, writes = false) {
  const text = JSON.stringify(args);
  const r = await (writes ? fetch("ask/" + question, {method: "POST", body: text}) : fetch("ask/" + question + "?arguments=" + encodeURIComponent(text)));
  if (!r.ok) throw new Error((await r.text()).trim());
  const answer = await r.json();
  if (answer && answer.error) throw new Error(answer.error);
  return answer;
}

// during shows a text while a question is answered, and the error if it has no answer.
async function during(text, work) {
  say(text);
  try {
    const result = await work();
    if (find("status").textContent === text) say("");
    return result;
  } catch (err) {
    say(err.message, true);
  }
}

let mayWrite = false;

// The overview.

let properties = [];
let campaign; // as last received

function runLink(id, text) {
  return make("a", {href: address(id, -1)}, text);
}

async function loadProperties() {
  const answer = await during("Compiling the tests and reading the cases…", () => ask("properties", {}));
  if (!answer) return;
  properties = answer.properties;
  redraw(find("properties"), ...properties.map(showProperty));
}

function showProperty(p) {
  const result = make("div", {role: "status"});
  const search = mayWrite && make("button", {type: "button", click: () => searchIn(p, result)}, "Search for 5 s");
  return make("article", {}, make("h2", {}, p.name), make("p", {class: "faint"}, `${p.package} ${p.test} (${p.verb})`), search || [], result,
    p.cases.length === 0 ? make("p", {class: "faint"}, "No saved cases.") : [],
    p.cases.map(c => make("div", {class: "case"}, runLink(c.id, c.headline || c.signature), make("div", {class: "faint"}, `${c.id}, ${counted(c.steps, "step")}`),
      c.cause ? make("div", {class: "cause"}, "Fails where: " + c.cause) : [])),
    (p.problems || []).map(text => make("p", {class: "bad"}, text)));
}

async function searchIn(p, result) {
  const answer = await during(`Searching ${p.name} for 5 seconds…`, () => ask("check", {property: p.number, seconds: 5}, true));
  if (!answer) return;
  await loadProperties();
  say(`${p.name}: ${counted(answer.failures.length, "failure")} in ${counted(answer.runs, "run")}. ${(answer.said || []).join(" ")}`);
}

function duration(seconds) {
  const s = Math.round(seconds);
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + s % 60 + " s";
  return Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min";
}

const bytes = n => n ? (n / (1 << 20)).toFixed(0) + " MB" : "unknown";

// rate returns the runs per second at the end of the curve.
function rate(curve) {
  const last = curve[curve.length - 1];
  const from = curve.findLast(p => last.seconds - p.seconds >= 5) || curve[0];
  return last.seconds > from.seconds ? (last.runs - from.runs) / (last.seconds - from.seconds) : last.runs / Math.max(last.seconds, 0.001);
}

function showCampaign() {
  const c = campaign && campaign.campaign;
  if (!c) {
    find("campaign").replaceChildren(make("p", {class: "faint"}, "No campaign of these packages is known here: jostle fuzz starts one, and this page shows it at once."));
    return;
  }
  const last = c.last, curve = c.curve && c.curve.length ? c.curve : [{seconds: last.seconds, runs: last.runs, orders: last.orders}];
  const doing = last.doing || [], working = doing.filter(d => !d.waits).length;
  const facts = [["state", c.ended ? "ended: " + c.ended : "running"], ["runs", count(last.runs)], ["runs a second", count(Math.round(c.ended ? last.runs / Math.max(last.seconds, 0.001) : rate(curve)))],
    ["bugs", count(c.foundAll)], ["receive pairs", count(last.orders)], ["time", duration(last.seconds)]];
  if (last.left) facts.push(["left", duration(last.left)]);
  if (!c.ended) facts.push(["workers", `${working} working, ${doing.length - working} waiting`]);
  facts.push(["workers died", count(last.deaths || 0)], ["memory of workers", bytes(last.workers)]);
  redraw(find("campaign"), make("dl", {class: "cards"}, facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)))),
    make("p", {id: "news", class: "faint"}), showFindings(c), drawCurve(curve), showProgress(last));
  showAge();
}

// showAge says that the campaign has not written for a while. It may have been killed.
function showAge() {
  const news = find("news"), c = campaign && campaign.campaign;
  if (!news || !c || c.ended) return;
  const age = (Date.now() - campaign.at) / 1000;
  news.textContent = age > 10 ? `Nothing was heard for ${duration(age)}: it was killed, or its machine sleeps. jostle fuzz --resume continues it.` : "";
}

// mostOpen is the number of bugs that are shown without being asked for.
const mostOpen = 8;

function showFindings(c) {
  if (!c.found || c.found.length === 0) return make("p", {class: "good"}, c.ended ? "No bug was found." : "No bug was found so far.");
  const bugs = c.found.toReversed().map(showFinding), rest = bugs.slice(mostOpen), more = c.foundAll - bugs.length;
  return make("div", {}, make("h2", {}, "Bugs found, the latest first"), bugs.slice(0, mostOpen),
    rest.length ? make("details", {id: "bugs", open: !!find("bugs") && find("bugs").open}, make("summary", {}, `${counted(rest.length + more, "earlier bug")}`), rest, more > 0 ? make("p", {}, `and ${count(more)} more`) : []) : []);
}

function showFinding(f) {
  const id = f.path ? f.path.replace(/^.*[\\/]/, "").replace(/\.case$/, "") : "";
  return make("div", {class: "case"}, id ? runLink(id, f.headline) : f.headline, make("div", {class: "faint"}, f.subject + (f.seconds ? ", after " + duration(f.seconds) : "")),
    f.cause ? make("div", {class: "cause"}, f.cause + (f.share ? ` (fails in ${f.share} orders)` : "")) : []);
}

// drawCurve draws the receive pairs by time.
function drawCurve(curve) {
  const wide = 560, high = 150, left = 60, below = 24, end = curve[curve.length - 1];
  if (curve.length < 2) return "";
  const x = s => left + (wide - left - 8) * s / Math.max(end.seconds, 0.001), y = n => high - below - (high - below - 14) * n / Math.max(end.orders, 1);
  const text = `${counted(end.orders, "receive pair")} in ${counted(end.runs, "run")} after ${duration(end.seconds)}`;
  return make("div", {class: "scroll"}, make("h2", {}, "Receive pairs seen"), make("svg", {viewBox: `0 0 ${wide} ${high}`, width: wide, role: "img", "aria-label": text}, make("title", {}, text),
    make("path", {class: "axis", d: `M${left} 10V${high - below}H${wide - 8}`}), make("polyline", {class: "curve", points: curve.map(p => `${x(p.seconds).toFixed(1)},${y(p.orders).toFixed(1)}`).join(" ")}),
    make("text", {x: left - 6, y: 20, "text-anchor": "end"}, count(end.orders)), make("text", {x: left - 6, y: high - below, "text-anchor": "end"}, "0"),
    make("text", {x: wide - 8, y: high - 6, "text-anchor": "end"}, duration(end.seconds))));
}

function showProgress(last) {
  const head = ["property", "state", "runs", "bugs", "pairs seen", "pairs seen in one order only"];
  return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Progress of each property"}, make("table", {class: "progress"}, make("thead", {}, make("tr", {}, head.map(t => make("th", {scope: "col"}, t)))),
    make("tbody", {}, (last.properties || []).map(p => make("tr", {}, make("th", {scope: "row"}, p.subject), make("td", {}, p.state),
      [p.runs, p.findings, p.orders, p.open].map((n, i) => make("td", {class: "number", "data-is": head[i + 2]}, count(n))))))));
}

let events;

// listen receives the campaign while the page is visible, because a browser has only a few
// connections for all pages of a server. After a lost connection the browser connects again by itself.
function listen() {
  if (events) events.close();
  if (document.hidden) return;
  const source = events = new EventSource("events");
  source.addEventListener("message", e => {
    const before = campaign && campaign.campaign;
    campaign = JSON.parse(e.data);
    showCampaign();
    if (before && campaign.campaign && campaign.campaign.foundAll !== before.foundAll) loadProperties();
  });
  source.addEventListener("open", () => document.body.dataset.connected = "yes");
  source.addEventListener("error", () => {
    document.body.dataset.connected = "no";
    const news = find("news");
    if (news) news.textContent = source.readyState === EventSource.CLOSED ? "jostle view has ended. Start it again, and open the URL that it prints." : "No connection to jostle view: trying again…";
  });
}

// A run.

const rowHeight = 26, ahead = 10;
let run; // the open run, undefined on the overview
const taken = new Map(); // for each fork that was made here, the message that it takes

// open shows a run at a step. If the step is negative, it shows the step that fails.
async function open(id, step) {
  const r = run = {id, moments: new Map(), count: 60, at: 0};
  showPath();
  find("rows").replaceChildren();
  find("step").replaceChildren();
  find("answer").replaceChildren();
  show("run");
  const walk = await during("Running it…", () => ask("steps", {run: id, first: Math.max(0, step - ahead), count: r.count}));
  if (!walk || run !== r) return;
  Object.assign(r, {walk, size: walk.receivers.length});
  keep(r, walk);
  showVerdict();
  find("rows").style.height = (r.size + 1) * rowHeight + "px";
  find("failing").disabled = walk.failed < 0;
  find("out").disabled = !id.includes("@");
  find("save").hidden = !mayWrite || !id.includes("@");
  go(step < 0 ? Math.max(0, walk.failed) : step);
  if (document.activeElement !== find("goto")) find("steps").focus({preventScroll: true});
}

function keep(r, walk) {
  walk.moments.forEach(m => r.moments.set(m.number, m));
  if (walk.unsteady) say("The program does not repeat: another run of it differs. " + walk.unsteady, true);
  else if (r.walk && walk.hash !== r.walk.hash) say("The run differs from the one that was opened: the program or the case has changed, or the program does not repeat. Reload the page.", true);
}

function showVerdict() {
  const fails = run.walk.failed >= 0;
  find("verdict").className = fails ? "bad" : "good";
  find("verdict").textContent = (fails ? "Fails: " + run.walk.failure : "This run passes.") + (run.walk.draws.length ? "\nDrawn: " + run.walk.draws.join(", ") : "");
}

// showPath shows the case and its forks as a way back.
function showPath() {
  const parts = run ? run.id.split("@") : [];
  const names = parts.map((part, i) => {
    const id = parts.slice(0, i + 1).join("@"), [step, other] = part.split(":");
    const text = i === 0 ? "case " + part : `step ${step}: ` + (taken.get(id) || "other message " + other);
    return make("li", {}, i === parts.length - 1 ? make("span", {"aria-current": "page"}, text) : make("a", {href: address(id, Number(parts[i + 1].split(":")[0]))}, text));
  });
  find("path").replaceChildren(run ? make("ol", {}, make("li", {}, make("a", {href: "#"}, "overview")), names) : "");
}

const actor = i => i >= 0 && i < run.walk.actors.length ? run.walk.actors[i] : "nobody";
const arrow = m => m.from < 0 ? m.label : `${actor(m.from)} ──${m.label}──▶ ${actor(m.to)}`;
const inRange = step => Math.max(0, Math.min(step, run.size));

// go goes to a step, or to the end of the run if the step is the number of steps.
function go(step) {
  if (!run || !run.walk) return;
  run.at = inRange(step);
  history.replaceState(null, "", address(run.id, run.at));
  document.title = `jostle: ${run.at === run.size ? "the end" : "step " + run.at} of ${run.id}`;
  const box = find("steps"), top = run.at * rowHeight;
  if (top < box.scrollTop || top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  find("previous").disabled = run.at === 0;
  find("next").disabled = run.at === run.size;
  find("continue").disabled = run.at === run.size;
  drawRows();
  showStep();
}

// drawRows draws the rows that are seen, and fetches those steps that are not known.
function drawRows() {
  if (!run || !run.walk) return;
  const box = find("steps"), first = inRange(Math.floor(box.scrollTop / rowHeight) - ahead), last = inRange(Math.ceil((box.scrollTop + box.clientHeight) / rowHeight) + ahead);
  const rows = [];
  for (let i = first; i <= last; i++) rows.push(row(i));
  find("rows").replaceChildren(...rows);
  if (run.at >= first && run.at <= last) box.setAttribute("aria-activedescendant", "row" + run.at);
  else box.removeAttribute("aria-activedescendant");
  fetchSteps(first, last);
}

function row(i) {
  const m = run.moments.get(i), fails = i === run.walk.failed;
  const text = i === run.size ? "the end" : m ? arrow(m) : "… ▶ " + actor(run.walk.receivers[i]);
  const e = make("div", {id: "row" + i, class: fails ? "row fails" : "row", role: "option", "aria-selected": String(i === run.at), "aria-setsize": run.size + 1, "aria-posinset": i + 1,
    title: text, click: () => go(i)}, make("b", {}, i === run.size ? "" : String(i)), text + (fails ? "  ✗ fails here" : ""));
  e.style.top = i * rowHeight + "px";
  return e;
}

// mostMoments limits how many steps are kept.
const mostMoments = 4000;

// fetchSteps fetches the steps of a range that are not known, one request at a time.
async function fetchSteps(first, last) {
  const r = run;
  const missing = () => {
    for (let i = first; i < Math.min(last, r.size); i++) if (!r.moments.has(i)) return i;
    return -1;
  };
  if (r.fetching || r.broken || missing() < 0) return;
  r.fetching = true;
  try {
    if (r.moments.size > mostMoments) r.moments.clear();
    const from = missing();
    const walk = await ask("steps", {run: r.id, first: from, count: r.count});
    keep(r, walk);
    r.broken = !r.moments.has(from);
  } catch (err) {
    if (r.count > 1) r.count = Math.ceil(r.count / 4); // states may be too large for one answer
    else {
      r.broken = true;
      say(err.message, true);
    }
  } finally {
    r.fetching = false;
  }
  if (run !== r) return;
  drawRows();
  showStep();
}

function showStep() {
  const m = run.moments.get(run.at);
  if (run.shown === m && run.shownAt === run.at && m) return;
  [run.shown, run.shownAt] = [m, run.at];
  find("step").replaceChildren(...(run.at === run.size ? showEnd() : m ? showMoment(m) : [make("p", {class: "faint"}, "Loading…")]));
}

function showEnd() {
  const w = run.walk, more = w.more > 0 ? [`and ${count(w.more)} more`] : [];
  return [make("h1", {}, "The end, after " + counted(run.size, "step")), w.failed === run.size ? make("p", {class: "bad"}, "✗ fails here") : [],
    ...list("Never received", w.waiting.map(arrow).concat(more)), ...list("Drawn", w.draws), ...list("Log of the test", w.logs)].flat();
}

function showMoment(m) {
  const step = m.sentIn >= 0 ? make("a", {href: address(run.id, m.sentIn), click: e => { e.preventDefault(); go(m.sentIn); }}, "step " + m.sentIn) : "the test";
  return [make("h1", {}, (m.number ? `Step ${m.number} of ${run.size - 1}` : `Step 0, the first of ${run.size}`) + (m.time ? ", at " + m.time : ""), m.failed ? make("span", {class: "bad"}, "  ✗ fails here") : []),
    make("p", {class: "message"}, arrow(m)), m.from < 0 ? [] : make("p", {class: "faint"}, "sent by ", step, m.sentAt ? " at " + m.sentAt : "", m.handler ? ", received by " + m.handler : ""),
    m.failed ? make("pre", {class: "bad"}, run.walk.failure) : [], ...showState(m), ...list("Others have changed", m.after, "mono"), ...showOthers(m),
    ...list("Answers", m.choices), ...list("Faults", m.faults), ...list("Log", m.log, "mono")].flat();
}

// compare returns [name, before, after] for each field of the receiver's state. A field that is not
// there is undefined.
function compare(before, now) {
  const left = now.slice();
  const fields = before.map(f => {
    const i = left.findIndex(n => n.name === f.name);
    return [f.name, f.text, i < 0 ? undefined : left.splice(i, 1)[0].text];
  });
  return fields.concat(left.map(f => [f.name, undefined, f.text]));
}

function showState(m) {
  const before = m.before || [], now = m.now || [];
  if (before.length + now.length === 0) return [];
  const half = !before.length ? " after the step (its state before is unknown)" : !now.length ? " before the step (its state after is unknown)" : "";
  if (half) return list(actor(m.to) + half, before.concat(now).map(f => (f.name ? f.name + ": " : "") + f.text), "mono");
  const fields = compare(before, now), changed = fields.filter(f => f[1] !== f[2]), same = fields.filter(f => f[1] === f[2]);
  const table = make("table", {class: "mono"}, changed.map(([name, was, is]) => make("tr", {class: "changed"}, make("th", {scope: "row"}, "* " + name),
    make("td", {}, was === undefined ? "new: " : make("del", {}, was), was === undefined ? "" : " → ", make("ins", {}, is === undefined ? "nothing" : is)))),
  same.map(([name, was]) => make("tr", {}, name ? make("th", {scope: "row"}, name) : make("td"), make("td", {}, was))));
  return [make("h2", {}, "State of " + actor(m.to) + (changed.length ? "" : ", unchanged")), make("div", {class: "scroll"}, table)];
}

function showOthers(m) {
  const others = m.others || [], more = m.more || 0;
  if (m.fixed) return [make("p", {class: "faint"}, "A fault or part of the start: nothing else could come here.")];
  if (others.length + more === 0) return [make("p", {class: "faint"}, "Nothing else could come here.")];
  return [make("h2", {}, `What else could come (${others.length + more})`), make("div", {class: "others"}, others.map((o, i) =>
    make("button", {type: "button", click: () => take(i)}, i < 9 ? make("kbd", {}, String(i + 1)) : "", " " + arrow(o)))), more ? make("p", {class: "faint"}, `and ${count(more)} more`) : []];
}

// take forks the run: another message comes in the current step.
async function take(other) {
  const r = run, m = r.moments.get(r.at);
  if (!m || !m.others || other >= m.others.length) return say("There is no such message in this step.", true);
  const fork = await during("Running the fork…", () => ask("fork", {run: r.id, step: m.number, other}));
  if (!fork || run !== r) return;
  taken.set(fork.run, arrow(m.others[other]));
  location.hash = address(fork.run, m.number);
}

function leaveFork() {
  if (!run || !run.id.includes("@")) return;
  const i = run.id.lastIndexOf("@");
  location.hash = address(run.id.slice(0, i), Number(run.id.slice(i + 1).split(":")[0]));
}

// answer shows the answer to a question about the run.
function answer(...parts) {
  find("answer").replaceChildren(...parts);
  find("answer").scrollIntoView({block: "nearest"});
}

async function continueFrom() {
  const r = run, step = r.at;
  const e = await during("Running 50 random continuations…", () => ask("continuations", {run: r.id, step, runs: 50}));
  if (!e || run !== r) return;
  const percent = e.of ? Math.round(100 * e.failed / e.of) : 0, bar = make("i");
  bar.style.width = percent + "%";
  answer(make("h1", {}, `From step ${step}, ${e.failed} of ${e.of} continuations fail (${percent}%)`), make("div", {class: "share", "aria-hidden": "true"}, bar),
    ...(e.lost ? [make("p", {}, `Not counted: ${counted(e.lost, "continuation")} that the property skipped or that could not repeat the steps before.`)] : []),
    ...list("How they fail", e.failures.map(f => `${f.runs} times: ${f.text}`), "mono"));
}

async function explain() {
  const r = run;
  const f = await during("Shrinking and explaining it, for up to 10 seconds…", () => ask("cause", {run: r.id, seconds: 10}));
  if (f && run === r) answer(make("h1", {}, "Why it fails"), make("pre", {tabindex: 0}, f.text));
}

async function promote() {
  const r = run;
  const t = await during("Writing a test…", () => ask("test", {run: r.id}));
  if (t && run === r) answer(make("h1", {}, "As a Go test"), make("p", {}, "Save this as a new file in the folder of the package. A click selects all of it."), make("pre", {tabindex: 0, class: "copy"}, t.source));
}

async function save() {
  const r = run;
  const s = await during("Saving…", () => ask("save", {run: r.id}, true));
  if (!s || run !== r) return;
  loadProperties();
  answer(make("h1", {}, "Saved"), make("p", {}, runLink(s.run, s.file)), make("p", {}, "It now runs first: ", make("code", {}, s.command)));
}

// Addresses: # is the overview, #run/ID/STEP a run.

function address(id, step) {
  return "#run/" + encodeURIComponent(id) + (step < 0 ? "" : "/" + step);
}

function show(name) {
  find("overview").hidden = name !== "overview";
  find("run").hidden = name !== "run";
}

function route() {
  const [kind, id, step] = location.hash.slice(1).split("/");
  if (kind === "run" && id) {
    const name = decodeURIComponent(id), number = step === undefined ? -1 : Number(step) || 0;
    if (run && run.walk && run.id === name) go(number < 0 ? Math.max(0, run.walk.failed) : number);
    else open(name, number);
    return;
  }
  run = undefined;
  document.title = "jostle view";
  say("");
  showPath();
  show("overview");
}

// Keys.

const keysOfRuns = {
  j: () => go(run.at + 1), n: () => go(run.at + 1), ArrowDown: () => go(run.at + 1), k: () => go(run.at - 1), p: () => go(run.at - 1), ArrowUp: () => go(run.at - 1),
  PageDown: () => go(run.at + 10), PageUp: () => go(run.at - 10), Home: () => go(0), End: () => go(run.size), f: () => press("failing"), g: () => find("goto").focus(),
  u: () => press("out"), c: () => press("continue"), w: () => press("why"), s: () => press("save"), t: () => press("test"), o: () => location.hash = "",
};

// press does what a button does, unless the button is disabled or not shown.
function press(id) {
  if (!find(id).hidden) find(id).click();
}

document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target.tagName === "INPUT" || find("keys").open) return;
  const act = e.key === "?" ? () => find("keys").showModal() : !run || !run.walk ? undefined : /^[1-9]$/.test(e.key) ? () => take(Number(e.key) - 1) : Object.hasOwn(keysOfRuns, e.key) ? keysOfRuns[e.key] : undefined;
  if (!act) return;
  e.preventDefault();
  act();
});

find("goto").addEventListener("keydown", e => {
  if (e.key !== "Enter" && e.key !== "Escape") return;
  const number = Number(find("goto").value);
  if (e.key === "Enter" && find("goto").value !== "" && Number.isInteger(number)) go(number);
  find("goto").value = "";
  find("steps").focus({preventScroll: true});
});
find("help").addEventListener("click", () => find("keys").showModal());
for (const [id, act] of Object.entries({previous: () => go(run.at - 1), next: () => go(run.at + 1), failing: () => go(run.walk.failed), out: leaveFork, continue: continueFrom, why: explain, test: promote, save}))
  find(id).addEventListener("click", () => { if (run && run.walk) act(); });
let drawing = false;
find("steps").addEventListener("scroll", () => {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => { drawing = false; drawRows(); });
});
window.addEventListener("resize", drawRows);
window.addEventListener("hashchange", route);
document.addEventListener("visibilitychange", listen);
setInterval(showAge, 5000);

(async () => {
  listen();
  const settings = await (await fetch("settings")).json();
  mayWrite = settings.write;
  route();
  loadProperties();
})();
