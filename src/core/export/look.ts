// First floor, core: how the page looks and the little it does. Constants; the page's policy allows exactly these.

export const STYLE = `
:root{color-scheme:light dark;--ground:#fff;--raised:#f6f7f9;--line:#dfe3e8;--ink:#1c2127;--quiet:#667080;--accent:#2f6feb;--good:#e6f4ea;--bad:#fdecea;--good-ink:#14632b;--bad-ink:#9b1c1c}
@media(prefers-color-scheme:dark){:root{--ground:#14171b;--raised:#1c2026;--line:#2e343d;--ink:#e3e7ec;--quiet:#93a0b0;--accent:#7aa7ff;--good:#12301d;--bad:#3a1717;--good-ink:#8fdca6;--bad-ink:#ff9d9d}}
:root[data-theme=light]{color-scheme:light;--ground:#fff;--raised:#f6f7f9;--line:#dfe3e8;--ink:#1c2127;--quiet:#667080;--accent:#2f6feb;--good:#e6f4ea;--bad:#fdecea;--good-ink:#14632b;--bad-ink:#9b1c1c}
:root[data-theme=dark]{color-scheme:dark;--ground:#14171b;--raised:#1c2026;--line:#2e343d;--ink:#e3e7ec;--quiet:#93a0b0;--accent:#7aa7ff;--good:#12301d;--bad:#3a1717;--good-ink:#8fdca6;--bad-ink:#ff9d9d}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.6 system-ui,sans-serif;display:grid;grid-template-columns:18rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;border-right:1px solid var(--line);padding:1rem;font-size:.85rem}
main{max-width:52rem;margin:0 auto;padding:2rem 1.5rem;width:100%}
h1{font-size:1.5rem;line-height:1.3;margin:0 0 .5rem;overflow-wrap:anywhere}
.facts{color:var(--quiet);font-size:.85rem;margin:0 0 2rem;overflow-wrap:anywhere}
article{border:1px solid var(--line);border-radius:10px;padding:.75rem 1rem;margin:0 0 1rem;background:var(--ground)}
article.user{background:var(--raised);border-left:4px solid var(--accent)}
article.result,article.summary,article.custom{background:var(--raised);font-size:.9rem}
article.failed{border-left:4px solid var(--bad-ink)}
article header{display:flex;justify-content:space-between;gap:1rem;color:var(--quiet);font-size:.75rem}
article h2{font-size:.75rem;font-weight:600;margin:0;text-transform:none;overflow-wrap:anywhere}
.change{color:var(--quiet);font-size:.8rem;text-align:center;margin:.5rem 0}
.usage,.problem{font-size:.75rem;color:var(--quiet);margin:.5rem 0 0}
.problem{color:var(--bad-ink)}
.call{margin:.5rem 0}.tool{font:600 .8rem ui-monospace,monospace;color:var(--accent);margin-right:.5rem}
.call details{display:inline-block;vertical-align:top;max-width:100%}
summary{cursor:pointer;color:var(--quiet);font-size:.85rem;overflow-wrap:anywhere}
pre{background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;overflow:auto;max-height:32rem;font:13px/1.5 ui-monospace,monospace;margin:.5rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
article.result pre,article.user pre{background:var(--ground)}
code{font-family:ui-monospace,monospace;font-size:.9em}
.prose{overflow-wrap:anywhere}.prose>:first-child{margin-top:.3rem}.prose>:last-child{margin-bottom:.3rem}
.prose table{border-collapse:collapse}.prose th,.prose td{border:1px solid var(--line);padding:.2rem .6rem}
.picture{max-width:100%;border-radius:6px;border:1px solid var(--line);margin:.5rem 0}
.diff .added{background:var(--good);color:var(--good-ink)}.diff .removed{background:var(--bad);color:var(--bad-ink)}.diff span{display:inline-block;min-width:100%}
a{color:var(--accent)}nav a{color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}
.outline,.outline ol{list-style:none;margin:0;padding:0}.outline li{padding:.15rem 0}.outline .fork{border-left:2px solid var(--line);padding-left:.6rem;margin:.2rem 0}.elsewhere{color:var(--quiet)}
.tools{display:flex;gap:.5rem;margin:0 0 1rem}.tools input{flex:1;min-width:0}.tools input,.tools button{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.25rem .5rem}
[hidden]{display:none!important}.hit{outline:2px solid var(--accent)}
.hljs-keyword,.hljs-selector-tag,.hljs-literal{color:#a626a4}.hljs-string,.hljs-attr{color:#50a14f}.hljs-number,.hljs-built_in,.hljs-type{color:#b76b01}.hljs-comment,.hljs-quote{color:var(--quiet);font-style:italic}.hljs-title,.hljs-name,.hljs-section{color:#4078f2}.hljs-addition{color:var(--good-ink)}.hljs-deletion{color:var(--bad-ink)}
@media(max-width:60rem){body{display:block}nav{position:static;height:auto;max-height:40vh;border-right:0;border-bottom:1px solid var(--line)}}
@media print{body{display:block}nav{display:none}article{break-inside:avoid-page;border-color:#ccc}pre{max-height:none}}
`;

/** Search, theme, branches. Works on what is in the page; asks nobody for anything. */
export const SCRIPT = `
(() => {
  const root = document.documentElement;
  const pieces = [...document.querySelectorAll('main > [id]')];
  const search = document.getElementById('search');
  const choice = document.getElementById('branch');
  const lines = JSON.parse(document.getElementById('lines').textContent);
  let shown = null;
  const draw = () => {
    const words = search.value.trim().toLowerCase();
    for (const piece of pieces) {
      const here = !shown || shown.has(piece.id);
      const hit = words !== '' && piece.textContent.toLowerCase().includes(words);
      piece.hidden = !here || (words !== '' && !hit);
      piece.classList.toggle('hit', hit);
      if (hit) for (const fold of piece.querySelectorAll('details')) fold.open = fold.textContent.toLowerCase().includes(words);
    }
  };
  const show = (index) => { shown = lines[index] ? new Set(lines[index]) : null; draw(); };
  search.addEventListener('input', draw);
  if (choice) choice.addEventListener('change', () => show(Number(choice.value)));
  document.getElementById('theme').addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  });
  addEventListener('hashchange', () => {
    const id = location.hash.slice(1);
    if (shown && !shown.has(id)) { const index = lines.findIndex((line) => line.includes(id)); if (index >= 0) { if (choice) choice.value = index; show(index); } }
    const piece = document.getElementById(id);
    if (piece) piece.scrollIntoView();
  });
  show(choice ? Number(choice.value) : 0);
})();
`;
