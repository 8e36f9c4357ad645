// The script of the exported page. The page's Content-Security-Policy allows exactly this text, by its hash.

/** Search, theme, collapsible sections, branches. Makes no network requests. */
export const PAGE_SCRIPT = `
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const entries = [...document.querySelectorAll('main > [data-at]')];
  const parents = JSON.parse(byId('tree').textContent);
  const search = byId('search');
  const branch = byId('branch');
  const texts = new Map();
  const getText = (entry) => {
    if (!texts.has(entry)) texts.set(entry, entry.textContent.toLowerCase());
    return texts.get(entry);
  };
  const parts = [...document.querySelectorAll('main > article [data-part]')];
  const opened = new Set();
  let visible = null;

  const showBranch = (leaf) => {
    visible = new Set();
    for (let at = leaf; at >= 0; at = parents[at]) visible.add(at);
    // A call may have another result on each branch.
    for (const part of parts) part.hidden = !visible.has(Number(part.dataset.part));
  };
  const highlight = (hits, query) => {
    if (!window.Highlight) return;
    const ranges = [];
    for (const entry of hits) {
      const walk = document.createTreeWalker(entry, NodeFilter.SHOW_TEXT);
      while (walk.nextNode() && ranges.length < 2000) {
        const text = walk.currentNode.data.toLowerCase();
        for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) {
          const range = new Range();
          if (at + query.length > walk.currentNode.length) break;
          range.setStart(walk.currentNode, at);
          range.setEnd(walk.currentNode, at + query.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  };
  const update = () => {
    const query = search.value.trim().toLowerCase();
    root.toggleAttribute('data-searching', query !== '');
    for (const fold of opened) fold.open = false;
    opened.clear();
    const hits = [];
    for (const entry of entries) {
      const onBranch = !visible || visible.has(Number(entry.dataset.at));
      const hit = onBranch && query !== '' && getText(entry).includes(query);
      const hidden = !onBranch || (query !== '' && !hit);
      if (entry.hidden !== hidden) entry.hidden = hidden;
      if (!hit) continue;
      hits.push(entry);
      for (const fold of entry.querySelectorAll('details:not([open])')) {
        if (!fold.textContent.toLowerCase().includes(query)) continue;
        fold.open = true;
        opened.add(fold);
      }
    }
    byId('count').textContent = query === '' ? '' : hits.length + ' found';
    highlight(hits, query);
  };
  const openHash = () => {
    const entry = location.hash.length > 1 && byId(location.hash.slice(1));
    const at = entry ? Number(entry.dataset.at ?? entry.dataset.part) : NaN;
    if (Number.isNaN(at)) return;
    if (visible && !visible.has(at)) {
      const ends = parents.map((_, position) => position);
      for (let position = parents.length - 1; position >= 0; position--) if (parents[position] >= 0) ends[parents[position]] = ends[position];
      branch.value = String(ends[at]);
      showBranch(ends[at]);
    }
    if (search.value !== '') search.value = '';
    update();
    entry.scrollIntoView();
  };

  search.addEventListener('input', update);
  addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    }
    if (event.key === 'Escape' && search.value !== '') {
      search.value = '';
      update();
    }
  });
  if (branch) {
    branch.addEventListener('change', () => {
      showBranch(Number(branch.value));
      update();
    });
    showBranch(Number(branch.value));
  }
  byId('theme').addEventListener('click', () => {
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
  });
  byId('folds').addEventListener('click', () => {
    const folds = [...document.querySelectorAll('main details')];
    const open = !folds.every((fold) => fold.open);
    for (const fold of folds) fold.open = open;
    opened.clear();
  });
  // Expand all sections for printing.
  const unfolded = new Set();
  addEventListener('beforeprint', () => {
    for (const fold of document.querySelectorAll('main details:not([open])')) {
      fold.open = true;
      unfolded.add(fold);
    }
  });
  addEventListener('afterprint', () => {
    for (const fold of unfolded) fold.open = false;
    unfolded.clear();
  });
  addEventListener('hashchange', openHash);
  update();
  openHash();
})();
`;
