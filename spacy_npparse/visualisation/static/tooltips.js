// Tooltips of arcs, made when they are first pointed at, which keeps pages with many trees small.
"use strict";
document.addEventListener("pointerover", ({ target }) => {
  const arc = target.closest?.(".npparse-arcs > g:not(:has(title))");
  if (!arc) return;
  const words = arc.closest("svg").querySelectorAll(".npparse-words > text");
  const place = [...arc.parentElement.children].indexOf(arc);
  const [head, dependent] = arc.parentElement.dataset.arcs.split(" ")[place].split("-");
  // Isolated, because the arrow would point to the wrong side between words from right to left.
  const word = (node) => (node === "0" ? "root" : `\u2068${words[node - 1].textContent}\u2069`);
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = `${word(head)} → ${word(dependent)}: ${arc.querySelector("text").textContent}`;
  arc.prepend(title);
});
