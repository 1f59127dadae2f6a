// Forms that change a memory.
import { redraw } from './changes.js';
import { h } from './dom.js';

// saving has a form save what is in it: save throws what goes wrong, which the form says.
export function saving(form, save) {
  const problem = h('p', { class: 'problem', role: 'alert' });
  let busy = false;
  form.addEventListener('reset', () => problem.remove());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    problem.remove();
    still(form, true);
    try {
      await save();
    } catch (error) {
      problem.textContent = `Not saved: ${error.message}`;
      form.append(problem);
      if (error.status === 404 || error.status === 409) await redraw(); // others were there first
    } finally {
      busy = false;
      still(form, false);
    }
  });
  return form;
}

// still keeps the fields from taking more while what they hold is on its way.
function still(form, on) {
  for (const field of form.elements) field.readOnly = on;
}

// escapes closes something with the Escape key.
export function escapes(element, close) {
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.stopPropagation();
    close();
  });
}

// clears has the Escape key discard what is written in a form that stays.
export function clears(form, discard) {
  escapes(form, () => {
    discard();
    form.reset();
  });
  return form;
}

export const cancel = (close, label = 'Cancel') => h('button', { type: 'button', class: 'quiet', onclick: close }, label);

// sends has Ctrl or ⌘ and Enter send a form of several lines.
export function sends(field) {
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      field.form.requestSubmit();
    }
  });
  return field;
}

// observationField is a field for an observation.
export function observationField(label, attributes, content = '') {
  const field = sends(h('textarea', { required: true, maxlength: 1000000, 'aria-label': label, dir: 'auto', ...attributes }));
  field.value = content;
  return field;
}
