/** Starlight loads the search box when the page is idle, which a busy machine can put off for ever. */
const whenIdle = window.requestIdleCallback?.bind(window);
if (whenIdle !== undefined)
  window.requestIdleCallback = (callback, options) => whenIdle(callback, { timeout: 500, ...options });

/** The search box is loaded after the page, and its dialog can be open before: the next keys are for the box. */
const dialog = document.querySelector<HTMLDialogElement>("site-search dialog");
if (dialog !== null) {
  const observer = new MutationObserver(() => {
    const box = dialog.querySelector("input");
    if (box === null) return;
    observer.disconnect();
    if (dialog.open) box.focus();
  });
  observer.observe(dialog, { childList: true, subtree: true });
}
