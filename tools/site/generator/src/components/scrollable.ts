/** Lets the keyboard scroll tables and code that are wider than the page, and adds no stop of the tab key for the others. */
function mark(): void {
  for (const frame of document.querySelectorAll<HTMLElement>(".table-frame, .expressive-code pre")) {
    if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
  }
}

mark();
addEventListener("resize", mark);
