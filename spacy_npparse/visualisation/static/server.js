// The page of a server: trees of a text, and the editor where those of a treebank are corrected.
"use strict";
(() => {
  const find = (selector, within = document) => within.querySelector(selector);
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];
  const widthOf = (box) => Math.floor(box.clientWidth) - 2;

  function make(tag, attributes, ...content) {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...content);
    return element;
  }

  async function ask(path, data) {
    const headers = { "Content-Type": "application/json" };
    const sent = data && { method: "POST", headers, body: JSON.stringify(data) };
    const answer = await fetch(path, sent).catch(() => {
      throw new Error("The server does not answer. Start it again; all changes so far are kept.");
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  // The arcs of a drawing, with their dependents.
  const arcsOf = (drawing) =>
    every(".npparse-arcs", drawing).flatMap((row) =>
      row.dataset.arcs.split(" ").map((arc, i) => [row.children[i], Number(arc.split("-")[1])])
    );

  // Text among text of the other direction, in which an arrow would point to the wrong side.
  const isolated = (text) => `\u2068${text}\u2069`;

  // Text

  async function savePng(src, download) {
    const image = make("img", { src });
    await image.decode();
    // No browser draws more pixels.
    const scale = Math.min(2, 32000 / Math.max(image.width, image.height));
    const canvas = make("canvas", { width: scale * image.width, height: scale * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    make("a", { href: canvas.toDataURL(), download }).click();
  }

  function figure({ tokens, svg }, i) {
    const name = `tree-${i + 1}`;
    const href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    const row = make("p", { className: "buttons" },
      make("a", { href, download: `${name}.svg` }, "Save SVG"),
      make("button", { onclick: () => savePng(href, `${name}.png`) }, "Save PNG"));
    const text = tokens.map((token) => token.form).join(" ");
    const box = { className: "scroll arcs", tabIndex: 0, role: "group", ariaLabel: name, innerHTML: svg };
    return make("figure", {}, make("figcaption", { dir: "auto" }, text, row), make("div", box));
  }

  let n_asked = 0;
  find("#text").onsubmit = async (event) => {
    event.preventDefault();
    const number = ++n_asked;
    const [save, status, trees] = [find("#save"), find("#status"), find("#trees")];
    status.textContent = "";
    try {
      const asked = { text: find("#given").value, svg_width: Math.max(100, widthOf(trees)) };
      const { sentences } = await ask("parse", { ...asked, model: find("#model")?.value });
      if (number < n_asked) return; // A later text has been sent.
      URL.revokeObjectURL(save.href);
      save.href = URL.createObjectURL(new Blob(sentences.map((one) => one.conllu)));
      trees.replaceChildren(...sentences.map(figure));
    } catch (error) {
      status.textContent = error.message;
    }
  };

  // Editor

  const editor = find(".editor");
  if (!editor) return;
  const parts = ["#sentences", ".tree", "#label", "#message"];
  const [list, tree, label, message] = parts.map((part) => find(part));
  let shown = null;
  let chosen = 1;
  let target = null; // the head that is looked for
  let typed = false; // whether a label is being typed
  const item = (number) => find(`li[value="${number}"]`, list);
  const wordsOf = () => every(".npparse-words text", tree);

  function sort() {
    const by = find("#order").value;
    const first = (a, b) => (by === "doubt" && b.dataset.doubt - a.dataset.doubt) || a.value - b.value;
    list.replaceChildren(...[...list.children].sort(first));
  }

  function show(answer) {
    const last = shown?.number === answer.number ? shown : answer;
    if (last === answer) chosen = 1;
    [shown, target] = [answer, null];
    const entry = item(answer.number);
    Object.assign(entry.dataset, { done: answer.done, doubt: answer.doubt });
    find("small span", entry).textContent = answer.state;
    for (const one of list.children) one.firstChild.ariaCurrent = String(one === entry);
    entry.scrollIntoView({ block: "nearest" });
    message.textContent = answer.problem;
    find("#sentence").textContent = `${answer.sent_id}: ${isolated(answer.text)}`;
    tree.innerHTML = answer.svg;
    for (const [arc, dependent] of arcsOf(tree)) {
      const [now, old] = [answer, last].map((one) => one.words[dependent - 1]);
      arc.classList.toggle("changed", now.head !== old.head || now.label !== old.label);
    }
    mark();
  }

  function mark() {
    const { form, head, label: name, probability, confirmed } = shown.words[chosen - 1];
    wordsOf().forEach((text, i) => {
      text.classList.toggle("chosen", i === chosen - 1);
      text.classList.toggle("target", i + 1 === target);
      text.classList.toggle("confirmed", shown.words[i].confirmed);
    });
    for (const [arc, dependent] of arcsOf(tree)) arc.classList.toggle("chosen", dependent === chosen);
    const node = target ?? head;
    const sure = `: ${name} (${Math.round(100 * probability)} %${confirmed ? ", confirmed" : ""})`;
    const of = node ? isolated(shown.words[node - 1].form) : "root";
    find("#word").textContent = `${chosen} ${isolated(form)} ← ${of}` + (target === null ? sure : "?");
    if (!typed) {
      label.value = name;
      if (document.activeElement === label) label.select();
    }
    find("[data-do=head]").ariaPressed = String(target !== null);
    // Where the tree is to be seen, also of a long sentence.
    wordsOf()[(target || chosen) - 1].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  const path = (number) => `editor/${number}/${widthOf(tree)}`;
  const open = async (entry) => entry && show(await ask(path(entry.value)));
  // The server refuses to change a tree that is not the shown one, for example after a change in another tab.
  async function change(data) {
    const seen = shown.words.map(({ head, label }) => [head, label]);
    try {
      const { n_changes } = shown;
      show(await ask(path(shown.number), { word: chosen, shown: seen, n_changes, ...data }));
    } catch (error) {
      show(await ask(path(shown.number)));
      throw error;
    }
  }
  const give = (head) => (head === chosen ? choose(chosen) : change({ do: "head", head }));

  function choose(word, head = null) {
    [chosen, target] = [word, head];
    mark();
  }

  function move(by) {
    const within = (least, node) => Math.min(Math.max(node, least), shown.length);
    if (target === null) choose(within(1, chosen + by));
    else choose(chosen, within(0, target + by));
  }

  function tryHead(by) {
    const { likely, head } = shown.words[chosen - 1];
    const place = likely.includes(head) ? likely.indexOf(head) : likely.length;
    const next = likely[place + by];
    return next === undefined ? null : give(next);
  }

  // The actions of the buttons, which name their keys.
  const actions = {
    head: () => choose(chosen, target === null ? shown.words[chosen - 1].head : null),
    root: () => give(0),
    read: () => change({ do: "confirm" }).then(() => move(1)),
    confirm: async () => {
      if (target !== null) return give(target);
      await change({ do: "confirm", word: shown.length });
      const next = find(`li[value="${shown.number}"] ~ [data-done=false]`, list);
      return message.textContent ? null : open(next);
    },
    undo: () => change({ do: "undo" }),
    redo: () => change({ do: "redo" }),
    previous: () => open(item(shown.number).previousElementSibling),
    next: () => open(item(shown.number).nextElementSibling),
  };
  const keys = {
    ArrowLeft: () => move(-1),
    ArrowRight: () => move(1),
    ArrowUp: () => tryHead(-1),
    ArrowDown: () => tryHead(1),
    Escape: () => choose(chosen),
  };

  // One action after the other, each with what the one before has shown.
  let waiting = Promise.resolve();
  function act(action) {
    const mine = waiting.then(action).catch((error) => (message.textContent = error.message));
    waiting = mine;
    editor.ariaBusy = "true";
    mine.then(() => (editor.ariaBusy = String(waiting !== mine)));
  }

  for (const button of every("[data-do]", editor)) {
    const action = actions[button.dataset.do];
    keys[button.dataset.key] = action;
    button.onclick = () => act(action);
  }
  document.onkeydown = (event) => {
    const { key, target: at } = event;
    const isElsewhere = at.closest("input, textarea, select, summary, form, #trees, .list");
    const presses = at.closest("button") && (key === "Enter" || key === " ");
    if (isElsewhere || presses || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key !== "l" && !keys[key]) return;
    event.preventDefault();
    // A key that is held down would confirm sentences that nobody has seen.
    if (event.repeat && !key.startsWith("Arrow")) return;
    // At once: what is typed next belongs there.
    if (key === "l") label.select();
    else act(keys[key]);
  };
  label.onkeydown = ({ key }) => {
    if (key !== "Enter" && key !== "Escape") return;
    const given = typed ? label.value.trim() : null;
    label.blur();
    const current = () => given ?? shown.words[chosen - 1].label;
    act(() => (key === "Enter" ? change({ do: "label", label: current() }) : mark()));
  };
  label.oninput = () => (typed = true);
  label.onblur = () => (typed = false);
  list.onclick = ({ target: at }) => {
    tree.focus();
    act(() => open(at.closest("li")));
  };
  find("#order").onchange = sort;

  // A word is chosen by pressing it, and its head by letting go over it.
  const wordAt = ({ target: at }) => wordsOf().indexOf(at) + 1;
  let pressed = 0;
  tree.onpointerdown = (event) => {
    label.blur(); // What is typed is the label of the word that was chosen.
    pressed = wordAt(event);
    if (pressed && target === null) act(() => choose(pressed));
  };
  tree.onpointerup = (event) => {
    const word = wordAt(event);
    if (word && (target !== null || (pressed && pressed !== word))) act(() => give(word));
  };
  tree.onclick = ({ target: at }) => {
    const [, dependent] = arcsOf(tree).find(([arc]) => arc.contains(at)) ?? [];
    if (!dependent) return;
    choose(dependent);
    if (at.closest("text")) label.select();
  };

  sort();
  act(() => open(find("[data-done=false]", list) ?? list.firstElementChild));
})();
