// What a tab keeps where the page is loaded anew. It ends with the tab.

export const load = (key) => JSON.parse(sessionStorage.getItem(key) ?? '[]');

// save keeps a list. Where there is no room for it, it ends with the page.
export function save(key, list) {
  try {
    sessionStorage.setItem(key, JSON.stringify(list));
  } catch {
    sessionStorage.removeItem(key);
  }
}
