// First floor, core: the little that the page does. A constant; the page's policy allows exactly this.

/** Search, theme, folds, branches. Works on what is in the page; asks nobody for anything. */
export const SCRIPT = `
(() => {
  const root = document.documentElement;
  const part = (id) => document.getElementById(id);
  const pieces = [...document.querySelectorAll('main > [data-at]')];
  const parents = JSON.parse(part('tree').textContent);
  const search = part('search');
  const branch = part('branch');
  const texts = new Map();
  const textOf = (piece) => {
    if (!texts.has(piece)) texts.set(piece, piece.textContent.toLowerCase());
    return texts.get(piece);
  };
  const opened = new Set();
  let shown = null;

  const choose = (leaf) => {
    shown = new Set();
    for (let at = leaf; at >= 0; at = parents[at]) shown.add(at);
  };
  const mark = (hits, words) => {
    if (!window.Highlight) return;
    const ranges = [];
    for (const piece of hits) {
      const walk = document.createTreeWalker(piece, NodeFilter.SHOW_TEXT);
      while (walk.nextNode() && ranges.length < 2000) {
        const text = walk.currentNode.data.toLowerCase();
        for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
          const range = new Range();
          if (at + words.length > walk.currentNode.length) break;
          range.setStart(walk.currentNode, at);
          range.setEnd(walk.currentNode, at + words.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  };
  const draw = () => {
    const words = search.value.trim().toLowerCase();
    for (const fold of opened) fold.open = false;
    opened.clear();
    const hits = [];
    for (const piece of pieces) {
      const here = !shown || shown.has(Number(piece.dataset.at));
      const hit = here && words !== '' && textOf(piece).includes(words);
      const hidden = !here || (words !== '' && !hit);
      if (piece.hidden !== hidden) piece.hidden = hidden;
      if (!hit) continue;
      hits.push(piece);
      for (const fold of piece.querySelectorAll('details:not([open])')) {
        if (!fold.textContent.toLowerCase().includes(words)) continue;
        fold.open = true;
        opened.add(fold);
      }
    }
    part('count').textContent = words === '' ? '' : hits.length + ' found';
    mark(hits, words);
  };
  const visit = () => {
    const piece = location.hash.length > 1 && part(location.hash.slice(1));
    if (!piece || piece.dataset.at === undefined) return;
    const at = Number(piece.dataset.at);
    if (shown && !shown.has(at)) {
      const ends = parents.map((_, position) => position);
      for (let position = parents.length - 1; position >= 0; position--) if (parents[position] >= 0) ends[parents[position]] = ends[position];
      branch.value = String(ends[at]);
      choose(ends[at]);
    }
    if (search.value !== '') search.value = '';
    draw();
    piece.scrollIntoView();
  };

  search.addEventListener('input', draw);
  addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    }
    if (event.key === 'Escape' && search.value !== '') {
      search.value = '';
      draw();
    }
  });
  if (branch) {
    branch.addEventListener('change', () => {
      choose(Number(branch.value));
      draw();
    });
    choose(Number(branch.value));
  }
  part('theme').addEventListener('click', () => {
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
  });
  part('folds').addEventListener('click', () => {
    const folds = [...document.querySelectorAll('main details')];
    const open = !folds.every((fold) => fold.open);
    for (const fold of folds) fold.open = open;
    opened.clear();
  });
  // Paper cannot be unfolded.
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
  addEventListener('hashchange', visit);
  draw();
  visit();
})();
`;
