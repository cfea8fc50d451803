"use strict";
// Left and right arrows follow the links to the previous and the next page; u goes up.
document.addEventListener("keydown", (event) => {
  const relation = {ArrowLeft: "prev", ArrowRight: "next", u: "up"}[event.key];
  if (!relation || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  // A wide table or a text scrolls with the arrows.
  if (event.target.closest && event.target.closest("input, textarea, select, .wide:focus-within, pre:focus")) return;
  const link = document.querySelector(`a[rel="${relation}"]`);
  if (link) {
    event.preventDefault();
    link.click();
  }
});
