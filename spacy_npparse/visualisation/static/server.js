// The page of a server: trees of a text, and the desk where those of a treebank are corrected.
"use strict";
(() => {
  const find = (selector, within = document) => within.querySelector(selector);
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  const percent = (p) => `${Math.round(100 * p)} %`;

  function make(tag, attributes = {}, ...content) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element[name] = value;
    element.append(...content);
    return element;
  }

  async function ask(path, data) {
    const body = data && JSON.stringify(data);
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(path, body ? { method: "POST", headers, body } : {});
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  // Arcs of a drawing with their heads and dependents.
  const arcs = (svg) =>
    every(".npparse-arcs", svg).flatMap((row) =>
      row.dataset.arcs.split(" ").map((arc, i) => [row.children[i], ...arc.split("-").map(Number)])
    );

  function shade(svg, probabilities) {
    for (const [arc, , dependent] of arcs(svg)) {
      const sure = probabilities[dependent - 1];
      if (sure === null) continue;
      arc.style.setProperty("--sure", sure);
      arc.classList.toggle("doubtful", sure < 0.5);
    }
  }

  const widthOf = (box) => Math.max(100, Math.floor(box.clientWidth) - 2);

  // Files

  function save(blob, name) {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // A drawing that brings its style, in the colours of the page.
  function picture(svg) {
    const copy = svg.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
    const sheets = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    style.textContent = sheets.map((rule) => rule.cssText).filter((r) => /npparse/.test(r)).join("\n");
    copy.prepend(style);
    return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  }

  async function pixels(svg) {
    const url = URL.createObjectURL(picture(svg));
    const image = make("img", { src: url });
    await image.decode();
    const { width, height } = svg.viewBox.baseVal;
    const canvas = make("canvas", { width: 2 * width, height: 2 * height });
    const context = canvas.getContext("2d");
    context.fillStyle = getComputedStyle(document.body).getPropertyValue("--paper");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    return new Promise((done) => canvas.toBlob(done));
  }

  // Text

  let conllu = "";

  function drawn({ tokens, svg }, number) {
    const box = make("div", { className: "scroll", tabIndex: 0, role: "group" });
    box.setAttribute("aria-label", `Tree ${number}`);
    box.innerHTML = svg;
    const tree = find("svg", box);
    shade(tree, tokens.map((token) => token.head_probability));
    const saved = (kind, blob) =>
      make("button", {
        textContent: `Save ${kind}`,
        onclick: async () => save(await blob(tree), `tree-${number}.${kind.toLowerCase()}`),
      });
    const buttons = make("p", { className: "buttons" }, saved("SVG", picture), saved("PNG", pixels));
    const text = tokens.map((token) => token.form).join(" ");
    const caption = make("figcaption", { dir: "auto" }, text, buttons);
    return make("figure", {}, caption, box);
  }

  find("#text").onsubmit = async (event) => {
    event.preventDefault();
    const [status, trees] = [find("#status"), find("#trees")];
    status.textContent = "";
    try {
      const asked = { text: find("#given").value, svg_width: widthOf(trees) };
      const { sentences } = await ask("parse", { ...asked, model: find("#model")?.value });
      conllu = sentences.map((one) => one.conllu).join("");
      trees.replaceChildren(...sentences.map((one, i) => drawn(one, i + 1)));
    } catch (error) {
      status.textContent = error.message;
    }
  };
  find("[data-do=conllu]").onclick = () => save(new Blob([conllu]), "trees.conllu");

  // Desk

  if (!find(".desk")) return;
  const [tree, label, message] = [find(".tree"), find("#label"), find("#message")];
  let order = []; // numbers of sentences as they are listed
  let shown = null;
  let chosen = 1;
  let target = null; // the head that is looked for
  let waiting = Promise.resolve(); // one change after the other
  const entries = new Map(); // by numbers: what is known of a sentence, and its button

  function list(one) {
    const button = entries.get(one.number)?.button ?? make("button", { type: "button" });
    entries.set(one.number, { ...one, button });
    const rest = one.done ? "✓ confirmed" : `${one.confirmed}/${one.length}, rest ${percent(one.doubt)} doubtful`;
    button.onclick = () => open(one.number).then(() => tree.focus());
    button.setAttribute("aria-current", one.number === shown?.number);
    button.replaceChildren(
      make("span", { dir: "auto" }, one.text),
      make("small", {}, `${one.sent_id}: ${rest}`)
    );
  }

  function sort() {
    const byDoubt = (a, b) => a.done - b.done || b.doubt - a.doubt || a.number - b.number;
    const found = [...entries.values()].sort((a, b) => a.number - b.number);
    if (find("#order").value === "doubt") found.sort(byDoubt);
    order = found.map((one) => one.number);
    find("#sentences").replaceChildren(...found.map((one) => make("li", {}, one.button)));
  }

  function show(answer) {
    const last = shown;
    shown = answer;
    target = null;
    message.textContent = answer.problem ?? "";
    if (answer.number !== last?.number) {
      chosen = 1;
      if (last) list(last);
    }
    list(answer);
    find("#sentence").textContent = `${answer.sent_id}: ${answer.text}`;
    tree.innerHTML = answer.svg;
    shade(tree, answer.words.map((word) => word.probability));
    find("[data-do=undo]").disabled = !answer.undo;
    find("[data-do=redo]").disabled = !answer.redo;
    mark();
    entries.get(answer.number).button.scrollIntoView({ block: "nearest" });
  }

  function mark() {
    const { words } = shown;
    const word = words[chosen - 1];
    every(".npparse-words text", tree).forEach((text, i) => {
      text.classList.toggle("chosen", i === chosen - 1);
      text.classList.toggle("target", i + 1 === target);
      text.classList.toggle("confirmed", words[i].confirmed);
    });
    for (const [arc, , dependent] of arcs(tree)) {
      arc.classList.toggle("chosen", dependent === chosen);
      arc.classList.toggle("changed", words[dependent - 1].changed);
    }
    const name = (node) => (node ? words[node - 1].form : "root");
    const sure = `${percent(word.probability)}${word.confirmed ? ", confirmed" : ""}`;
    find("#word").textContent =
      target === null
        ? `${chosen} ${word.form} ← ${name(word.head)}: ${word.label} (${sure})`
        : `${chosen} ${word.form} ← ${name(target)}?`;
    if (document.activeElement !== label) label.value = word.label;
    find("[data-do=head]").setAttribute("aria-pressed", target !== null);
  }

  // Answers are shown in the order of what was asked.
  function go(work) {
    waiting = waiting.then(work).catch((error) => (message.textContent = error.message));
    return waiting;
  }

  const open = (number) => go(async () => show(await ask(`desk/${number}/${widthOf(tree)}`)));

  const change = (data) =>
    go(async () => {
      const { number: sentence, version } = shown;
      show(await ask(`desk/${widthOf(tree)}`, { sentence, version, ...data }));
    });

  function step(by) {
    const next = order[order.indexOf(shown.number) + by];
    return next === undefined ? waiting : open(next);
  }

  // Where the tree is to be seen, also of a long sentence.
  function choose(word) {
    chosen = Math.min(Math.max(word, 1), shown.words.length);
    mark();
    every(".npparse-words text", tree)[chosen - 1].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function try_(by) {
    const { likely, head } = shown.words[chosen - 1];
    const next = likely[likely.indexOf(head) + by];
    if (next !== undefined) change({ do: "head", word: chosen, head: next });
  }

  function giveHead(head) {
    target = null;
    if (head === chosen) mark();
    else change({ do: "head", word: chosen, head });
  }

  const actions = {
    head: () => {
      target = target === null ? shown.words[chosen - 1].head : null;
      mark();
    },
    root: () => giveHead(0),
    read: async () => {
      const word = chosen;
      await change({ do: "read", word });
      choose(word + 1);
    },
    confirm: async () => {
      await change({ do: "confirm" });
      const rest = order.slice(order.indexOf(shown.number) + 1);
      const next = rest.find((number) => !entries.get(number).done);
      if (!message.textContent && next !== undefined) await open(next);
    },
    undo: () => change({ do: "undo" }),
    redo: () => change({ do: "redo" }),
    previous: () => step(-1),
    next: () => step(1),
  };
  for (const [name, action] of Object.entries(actions)) find(`[data-do=${name}]`).onclick = () => action();

  const aim = (by) => {
    target = Math.min(Math.max(target + by, 0), shown.words.length);
    mark();
  };
  const keys = {
    ArrowLeft: () => (target === null ? choose(chosen - 1) : aim(-1)),
    ArrowRight: () => (target === null ? choose(chosen + 1) : aim(1)),
    ArrowUp: () => try_(-1),
    ArrowDown: () => try_(1),
    Enter: () => (target === null ? actions.confirm() : giveHead(target)),
    Escape: () => ((target = null), mark()),
    " ": actions.read, h: actions.head, 0: actions.root, u: actions.undo, r: actions.redo,
    n: actions.next, p: actions.previous, l: () => (label.focus(), label.select()),
  };
  document.addEventListener("keydown", (event) => {
    const { key, target: at } = event;
    const isElsewhere = at.closest("input, textarea, select, summary, form, #trees, .list");
    const presses = at.closest("button") && (key === "Enter" || key === " ");
    if (!shown || isElsewhere || presses || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!Object.hasOwn(keys, key)) return;
    event.preventDefault();
    keys[key]();
  });
  label.onkeydown = (event) => {
    if (event.key === "Enter" && label.value.trim())
      change({ do: "label", word: chosen, label: label.value.trim() });
    else if (event.key !== "Escape") return;
    event.preventDefault();
    label.blur();
    mark();
  };

  // A word is chosen by pressing it, and its head by letting go over it.
  const wordAt = (event) => {
    const at = document.elementFromPoint(event.clientX, event.clientY)?.closest(".npparse-words text");
    return at ? every(".npparse-words text", tree).indexOf(at) + 1 : 0;
  };
  let pressed = 0;
  tree.onpointerdown = (event) => {
    pressed = wordAt(event);
    if (target === null && pressed) choose(pressed);
  };
  tree.onpointerup = (event) => {
    const word = wordAt(event);
    if (!word) return;
    if (target !== null) giveHead(word);
    else if (pressed && pressed !== word) giveHead(word);
  };
  tree.onclick = ({ target: at }) => {
    const found = arcs(tree).find(([arc]) => arc.contains(at));
    if (!found) return;
    choose(found[2]);
    if (at.closest("text")) keys.l();
  };
  find("#order").onchange = sort;

  go(async () => {
    (await ask("desk")).forEach(list);
    sort();
    const first = order.find((number) => !entries.get(number).done) ?? order[0];
    if (first !== undefined) show(await ask(`desk/${first}/${widthOf(tree)}`));
  });
})();
