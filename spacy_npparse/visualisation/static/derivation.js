// Steps through a derivation. The data are described in derivations/data.py.
"use strict";
(() => {
  const ROW_HEIGHT = 30;
  const PLAY = "M4 2.5L13 8l-9 5.5z";
  const PAUSE = "M4 3h3v10H4zM9 3h3v10H9z";
  const NARROW = 4; // words of a structure in a line of the table
  const data = JSON.parse(document.getElementById("npparse-data").textContent);
  const last = data.steps.length;
  const find = (selector, within = document) => within.querySelector(selector);
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];

  function make(tag, kind, text) {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  const word = (node) => (node ? data.words[node - 1].trim() || "␣" : "ROOT");
  // Isolated against other directions of writing.
  const inline = (node) => `\u2068${word(node)}\u2069`;
  // In lists, in quotation marks if it could be taken for punctuation of the list.
  const quoted = (node) =>
    /[\p{L}\p{N}]/u.test(word(node)) ? inline(node) : `\u2068“${word(node)}”\u2069`;

  // A configuration that goes forward and back. Items that a transition removes are stored with it
  // on the way forward, for the way back.
  class Cursor {
    constructor() {
      this.step = 0;
      this.items = data.structures.map((structure) => [...structure.items]);
      this.heads = Array(data.words.length + 1).fill(-1);
      this.reachable = data.reachable && new Set(data.reachable);
    }

    go(step) {
      while (this.step < step) this.forward(data.steps[this.step++]);
      while (this.step > step) this.back(data.steps[--this.step]);
      return this;
    }

    forward(step) {
      for (const change of step.d ?? []) {
        const [structure, start, removed, added] = change;
        change.removed = this.items[structure].splice(start, removed, ...added);
      }
      for (const arc of step.h ?? []) {
        arc.before = this.heads[arc[0]];
        this.heads[arc[0]] = arc[1];
      }
      this.toggle(step.r);
    }

    back(step) {
      for (const { 0: structure, 1: start, 3: added, removed } of step.d ?? [])
        this.items[structure].splice(start, added.length, ...removed);
      for (const arc of step.h ?? []) this.heads[arc[0]] = arc.before;
      this.toggle(step.r);
    }

    toggle(words) {
      for (const one of words ?? [])
        if (!this.reachable.delete(one)) this.reachable.add(one);
    }
  }

  const arcText = ([dependent, head]) =>
    head < 0 ? `no arc to ${quoted(dependent)}` : `${quoted(head)} → ${quoted(dependent)}`;

  // Whether the transition taken costs more than it has to.
  function isWrong(step) {
    if (!step.c) return false;
    return step.c[step.t] > Math.min(...step.l.map((t) => step.c[t]));
  }

  const scroller = find(".arcs");
  // Arcs above the words, and below them the gold arcs that are missed.
  const drawn = every(".npparse-arcs", scroller).flatMap((side) => {
    const ends = side.dataset.arcs.split(" ");
    return [...side.children].map((element, i) => {
      const [head, dependent] = ends[i].split("-").map(Number);
      return { element, head, dependent, gold: element.classList.contains("npparse-gold") };
    });
  });
  const texts = every(".npparse-words > text", scroller);
  const places = new Map(texts.map((text, i) => [i + 1, Number(text.getAttribute("x"))]));
  const lists = every(".structure").map((element, i) => ({
    element: find("dd", element),
    top: element.dataset.open === "end" ? -1 : 0, // where it changes, for `at`
    held: element.classList.contains("held"),
    words: data.structures[i].words,
  }));
  const slider = find(".controls input");
  const current = new Cursor();
  let timer = 0;

  function show(step) {
    current.go(Math.max(0, Math.min(last, step)));
    const before = data.steps[current.step - 1];
    slider.value = current.step;
    find(".controls output").textContent = `${current.step} / ${last}`;
    showArcs(before?.h ?? []);
    showWords();
    lists.forEach((list, i) => showList(list, i, before?.d?.find((change) => change[0] === i)));
    showReachable();
    showDecision(data.steps[current.step]);
    follow(before?.h ?? []);
    showRows(true);
  }

  function showArcs(added) {
    for (const { element, head, dependent, gold } of drawn) {
      const now = current.heads[dependent];
      element.classList.toggle("shown", gold ? now >= 0 && now !== head : now === head);
      element.classList.toggle("new", added.some((arc) => arc[0] === dependent && arc[1] === head));
    }
  }

  function showWords() {
    const where = new Map();
    lists.forEach((list, i) => {
      if (list.words)
        for (const node of current.items[i])
          if (!where.has(node)) where.set(node, list.held ? "held" : "buffer");
    });
    texts.forEach((text, i) => {
      const place = where.get(i + 1) ?? "gone";
      for (const kind of ["held", "buffer", "gone"]) text.classList.toggle(kind, kind === place);
    });
    for (const chip of every(".order .chip"))
      chip.classList.toggle("gone", !where.has(Number(chip.dataset.word)));
    const next = atWork().map((node) => find(`.order [data-word="${node}"]`)).find(Boolean);
    if (next) centre(next);
  }

  function chip(node) {
    const element = make("span", "chip");
    element.dataset.word = node;
    const form = make("bdi", "", word(node));
    const place = data.order?.[node - 1] ?? node;
    const number = place === node ? `${node}` : `${node} → ${place}`;
    element.append(form, make("small", "", number));
    return element;
  }

  function showList({ element, top, words }, i, change) {
    const items = current.items[i];
    element.replaceChildren(...(words ? items.map(chip) : [make("span", "", items.join(" "))]));
    if (!words) return;
    const [, start, , added] = change ?? [0, 0, 0, []];
    const chips = [...element.children];
    for (const moved of chips.slice(start, start + added.length)) moved.classList.add("moved");
    const target = change ? chips[Math.min(start, chips.length - 1)] : chips.at(top);
    if (target) centre(target);
  }

  // Scroll a list, and nothing else, so that one of its items is in its middle.
  function centre(item) {
    const list = item.parentElement;
    list.scrollLeft = item.offsetLeft - list.offsetLeft - (list.clientWidth - item.offsetWidth) / 2;
  }

  // The words at the open ends of the structures, those in the buffer first.
  function atWork() {
    const found = lists.map(({ words, top }, i) => words && current.items[i].at(top));
    return found.filter((node) => node > 0).reverse();
  }

  function showReachable() {
    const row = find(".reachable dd");
    if (!row) return;
    const dependents = new Map();
    for (const one of [...current.reachable].sort((a, b) => a - b)) {
      const head = data.gold[one];
      dependents.set(head, [...(dependents.get(head) ?? []), quoted(one)]);
    }
    // First those that the next transition can put out of reach.
    const near = new Set(atWork());
    const rank = (head) => (near.has(head) ? 0 : 1);
    row.replaceChildren(
      ...[...dependents].sort(([a], [b]) => rank(a) - rank(b) || a - b).map(([head, words]) => {
        const element = make("span");
        element.append(make("b", "", quoted(head)), `: ${words.join(", ")}`);
        return element;
      }),
    );
  }

  function showDecision(step) {
    const now = find(".now");
    const table = find(".decision table");
    if (!step) {
      now.textContent = "End of the derivation.";
      table.replaceChildren();
      return;
    }
    now.replaceChildren("Next: ", make("b", "", data.transitions[step.t]));
    if (step.h) now.append(`, ${step.h.map(arcText).join(", ")}`);
    const header = ["transition"];
    if (step.s) header.push(data.normalised ? "probability" : "score");
    if (step.c) header.push(step.u ? "cost (?)" : "cost");
    const head = make("tr");
    head.append(...header.map((name) => make("th", "", name)));
    const shares = step.s && data.normalised ? softmax(step) : null;
    const options = data.transitions.map((name, t) => option(step, t, name, shares));
    table.replaceChildren(head, ...options);
  }

  function softmax(step) {
    const best = Math.max(...step.l.map((t) => step.s[t] ?? -Infinity));
    const weights = step.s.map((score, t) =>
      step.l.includes(t) && score !== null ? Math.exp(score - best) : 0,
    );
    const total = weights.reduce((a, b) => a + b, 0);
    return weights.map((weight) => weight / total);
  }

  function option(step, t, name, shares) {
    const legal = step.l.includes(t);
    const row = make("tr", legal ? (t === step.t ? "taken" : "") : "illegal");
    row.append(make("td", "", name));
    if (step.s) {
      const cell = make("td", shares ? "share" : "");
      if (legal && shares) {
        const bar = make("i");
        bar.style.width = `${60 * shares[t]}%`;
        cell.append(bar, `${(100 * shares[t]).toFixed(shares[t] > 0.1 ? 0 : 1)} %`);
      } else if (legal) cell.textContent = (step.s[t] ?? NaN).toFixed(2);
      row.append(cell);
    }
    if (step.c) {
      const wrong = t === step.t && isWrong(step);
      row.append(make("td", wrong ? "costly" : "", legal ? step.c[t] : "not legal"));
    } else if (!legal) row.lastChild.textContent ||= "not legal";
    return row;
  }

  // Scroll the words at work into view.
  function follow(added) {
    const nodes = [...added.flat().filter((node) => node > 0), ...atWork()];
    const xs = nodes.map((node) => places.get(node));
    if (!xs.length || scroller.scrollWidth <= scroller.clientWidth) return;
    const [left, right] = [Math.min(...xs) - 60, Math.max(...xs) + 60];
    if (left < scroller.scrollLeft || right > scroller.scrollLeft + scroller.clientWidth)
      scroller.scrollLeft = (left + right - scroller.clientWidth) / 2;
  }

  // The table of all configurations: only the lines in view exist.
  const rows = find(".rows");
  const lines = rows.firstElementChild;
  const ahead = new Cursor();
  lines.style.height = `${(last + 1) * ROW_HEIGHT}px`;
  const sides = [-1, 0].map((top) =>
    lists.flatMap((list, i) => (list.words && list.top === top ? [i] : [])),
  );
  const title = (side) => side.map((i) => data.structures[i].name).join(" · ");
  for (const [kind, text] of [
    ["", "step"], ["wide open", title(sides[0])], ["wide", title(sides[1])],
    ["", "transition"], ["", "arc"], ["", data.steps.some((step) => step.c) ? "cost" : ""],
  ]) find(".steps .head").append(make("span", kind, text));

  function showRows(reveal) {
    if (reveal) {
      const top = current.step * ROW_HEIGHT;
      if (top < rows.scrollTop || top + ROW_HEIGHT > rows.scrollTop + rows.clientHeight)
        rows.scrollTop = top - rows.clientHeight / 2;
    }
    const first = Math.max(0, Math.floor(rows.scrollTop / ROW_HEIGHT) - 4);
    const end = Math.min(last, Math.ceil((rows.scrollTop + rows.clientHeight) / ROW_HEIGHT) + 4);
    const shown = [];
    for (let i = first; i <= end; i++) shown.push(line(i));
    lines.replaceChildren(...shown);
  }

  function line(i) {
    const step = data.steps[i];
    const row = make("button", "row");
    row.type = "button";
    row.tabIndex = -1;
    row.dataset.step = i;
    row.style.top = `${i * ROW_HEIGHT}px`;
    row.style.height = `${ROW_HEIGHT}px`;
    if (i === current.step) row.setAttribute("aria-current", "step");
    const { items } = ahead.go(i);
    const stack = make("span", "wide open");
    stack.append(make("bdi"));
    stack.firstChild.append(...parts(sides[0], items, true));
    const buffer = make("span", "wide");
    buffer.append(...parts(sides[1], items, false));
    const cost = make("span", step && isWrong(step) ? "costly" : "", step?.c?.[step.t] ?? "");
    row.append(
      make("span", "number", i), stack, buffer,
      make("span", "name", step ? data.transitions[step.t] : ""),
      make("span", "", step?.h?.map(arcText).join(", ") ?? ""), cost,
    );
    return row;
  }

  // The ends of some structures, where things happen.
  function parts(side, items, end) {
    return side.map((i, place) => {
      const nodes = items[i];
      const words = (end ? nodes.slice(-NARROW) : nodes.slice(0, NARROW)).map(inline);
      if (nodes.length > NARROW) words.splice(end ? 0 : NARROW, 0, "…");
      const text = words.join(" ") || (side.length > 1 ? "–" : "");
      const element = make("span", lists[i].held ? "held" : "", text);
      if (place) element.classList.add("next");
      return element;
    });
  }

  function play(start) {
    clearInterval(timer);
    timer = 0;
    if (start) {
      if (current.step === last) show(0);
      const pause = Math.min(900, Math.max(60, 60000 / last));
      const on = () => (current.step < last ? show(current.step + 1) : play(false));
      timer = setInterval(on, pause);
    }
    const button = find("[data-do=play]");
    button.setAttribute("aria-pressed", Boolean(timer));
    find("path", button).setAttribute("d", timer ? PAUSE : PLAY);
  }

  function jump(step) {
    play(false);
    show(step);
  }

  const actions = {
    first: () => jump(0),
    back: () => jump(current.step - 1),
    play: () => play(!timer),
    next: () => jump(current.step + 1),
    last: () => jump(last),
  };
  const keys = { Home: "first", ArrowLeft: "back", " ": "play", ArrowRight: "next", End: "last" };
  document.addEventListener("keydown", (event) => {
    const name = keys[event.key];
    if (!name || event.ctrlKey || event.altKey || event.metaKey) return;
    // A button that has the focus is pressed by the space bar, a summary opened.
    if (event.key === " " && event.target.closest("[data-do], summary")) return;
    event.preventDefault();
    actions[name]();
  });
  for (const button of every("[data-do]"))
    button.addEventListener("click", actions[button.dataset.do]);
  slider.addEventListener("input", () => jump(Number(slider.value)));
  rows.addEventListener("scroll", () => showRows(false));
  rows.addEventListener("click", (event) => {
    const row = event.target.closest("[data-step]");
    if (row) jump(Number(row.dataset.step));
  });

  const order = find(".order dd");
  if (order) {
    const nodes = data.words.map((_, i) => i + 1);
    nodes.sort((a, b) => data.order[a - 1] - data.order[b - 1]);
    order.replaceChildren(...nodes.map(chip));
  }
  // The words at three quarters of the height, if arcs above and below do not fit in.
  if (texts.length) {
    const words = texts[0].getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    scroller.scrollTop = words - 0.75 * scroller.clientHeight;
  }
  show(0);
})();
