// Elements. What is stored is only ever text here: nothing is parsed as HTML.

// h makes an element of attributes and children. A function is a listener
// (onclick), true an attribute without a value; false, null and undefined are none.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

// typing reports whether keys are meant for a field.
export function typing(element) {
  return element.matches?.('input, textarea, select, [contenteditable]') ?? false;
}

// showDialog shows what is given in the dialog, and resolves when it is closed.
export function showDialog(label, ...content) {
  const dialog = byId('dialog');
  dialog.setAttribute('aria-label', label);
  dialog.replaceChildren(...content);
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener('close', () => resolve(dialog.returnValue), { once: true }));
}
