// The style sheet of the exported page. The page's Content-Security-Policy allows exactly this text, by its hash.

export const PAGE_STYLE = `
:root{color-scheme:light dark;--ground:light-dark(#fff,#14171b);--raised:light-dark(#f6f7f9,#1c2026);--line:light-dark(#dfe3e8,#2e343d);--ink:light-dark(#1c2127,#e3e7ec);--quiet:light-dark(#5b6676,#93a0b0);--accent:light-dark(#2459c4,#7aa7ff);--good:light-dark(#e6f4ea,#12301d);--bad:light-dark(#fdecea,#3a1717);--good-ink:light-dark(#14632b,#8fdca6);--bad-ink:light-dark(#9b1c1c,#ff9d9d);--mark:light-dark(#fff1b8,#5c4a00)}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.6 system-ui,sans-serif;display:grid;grid-template-columns:18rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;border-right:1px solid var(--line);padding:1rem;font-size:.85rem}
main{max-width:52rem;margin:0 auto;padding:2rem 1.5rem;width:100%}
h1{font-size:1.5rem;line-height:1.3;margin:0 0 .5rem;overflow-wrap:anywhere}
.facts{color:var(--quiet);font-size:.85rem;margin:0 0 2rem;overflow-wrap:anywhere}
article{border:1px solid var(--line);border-radius:10px;padding:.75rem 1rem;margin:0 0 1rem;background:var(--ground);scroll-margin-top:1rem;content-visibility:auto;contain-intrinsic-size:auto 12rem}
article:target{border-color:var(--accent)}
article.user{background:var(--raised);border-left:4px solid var(--accent)}
article.result,article.summary,article.custom{background:var(--raised);font-size:.9rem}
article.assistant+article.result,article.result+article.result{margin-top:-.6rem}
article.failed{border-left:4px solid var(--bad-ink)}
article header{display:flex;justify-content:space-between;gap:1rem;color:var(--quiet);font-size:.75rem}
article header a{color:inherit;text-decoration:none;white-space:nowrap}article header a:hover{text-decoration:underline}
article h2{font-size:.75rem;font-weight:600;margin:0;overflow-wrap:anywhere}
mark{background:var(--mark);color:var(--ink);border-radius:4px;padding:0 .3rem}
::highlight(found){background:var(--mark)}
.change{color:var(--quiet);font-size:.8rem;text-align:center;margin:.5rem 0;overflow-wrap:anywhere}
.usage,.problem{font-size:.75rem;color:var(--quiet);margin:.5rem 0 0}
.problem{color:var(--bad-ink);font-size:.85rem;overflow-wrap:anywhere}
.thought{color:var(--quiet);font-size:.9rem;border-left:2px solid var(--line);padding-left:.8rem;margin:.4rem 0}
.files{color:var(--quiet);font-size:.8rem;margin:.3rem 0 0}.failure{color:var(--bad-ink)}
.call{margin:.5rem 0}.tool{font:600 .8rem ui-monospace,monospace;color:var(--accent);margin-right:.5rem}
.call details{display:inline-block;vertical-align:top;max-width:100%}.call details[open]{display:block}
summary{cursor:pointer;color:var(--quiet);font-size:.85rem;overflow-wrap:anywhere}
pre{background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;overflow:auto;max-height:32rem;font:13px/1.5 ui-monospace,monospace;margin:.5rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
article.result pre,article.user pre{background:var(--ground)}
code{font-family:ui-monospace,monospace;font-size:.9em}pre code{font-size:inherit}
:not(pre)>code{background:light-dark(#eceff3,#262c34);border-radius:4px;padding:.1em .3em}
.prose{overflow-wrap:anywhere}.prose>:first-child{margin-top:.3rem}.prose>:last-child{margin-bottom:.3rem}
.prose h1,.prose h2,.prose h3,.prose h4,.prose h5,.prose h6{font-size:1.05rem;line-height:1.3;margin:1.2rem 0 .4rem}.prose h1{font-size:1.25rem}.prose h2{font-size:1.15rem}
.prose table{border-collapse:collapse;display:block;overflow:auto}.prose th,.prose td{border:1px solid var(--line);padding:.2rem .6rem}
.prose blockquote{margin:.6rem 0;padding-left:.9rem;border-left:3px solid var(--line);color:var(--quiet)}
.picture{max-width:100%;border-radius:6px;border:1px solid var(--line);margin:.5rem 0}
.diff .added{background:var(--good);color:var(--good-ink)}.diff .removed{background:var(--bad);color:var(--bad-ink)}.diff span{display:inline-block;min-width:100%}
a{color:var(--accent)}nav a{color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}
.outline{list-style:none;margin:0;padding:0;overflow-wrap:anywhere}.outline li{padding:.15rem 0 .15rem .6rem;border-left:2px solid transparent}.elsewhere{color:var(--quiet)}
.outline .d1,.outline .d2,.outline .d3,.outline .d4,.outline .d5,.outline .d6{border-left-color:var(--line)}
.d1{margin-left:.6rem}.d2{margin-left:1.2rem}.d3{margin-left:1.8rem}.d4{margin-left:2.4rem}.d5{margin-left:3rem}.d6{margin-left:3.6rem}
.tools{display:flex;gap:.5rem;margin:0 0 1rem}.tools input,.tools select{flex:1;min-width:0}.tools input,.tools button,.tools select{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.25rem .5rem}.tools button{cursor:pointer}
#count{color:var(--quiet);font-size:.8rem;min-height:1.3rem;margin:-.6rem 0 .4rem}
[hidden]{display:none!important}
.hljs-keyword,.hljs-selector-tag,.hljs-literal,.hljs-doctag{color:light-dark(#8b1f8a,#d49be0)}.hljs-string,.hljs-attr,.hljs-regexp{color:light-dark(#2f6f2e,#9bd08f)}.hljs-number,.hljs-built_in,.hljs-type,.hljs-variable,.hljs-symbol{color:light-dark(#8f5300,#e5b567)}.hljs-comment,.hljs-quote,.hljs-meta{color:var(--quiet);font-style:italic}.hljs-title,.hljs-name,.hljs-section,.hljs-attribute{color:light-dark(#2459c4,#8ab4ff)}.hljs-addition{color:var(--good-ink)}.hljs-deletion{color:var(--bad-ink)}
@media(max-width:60rem){body{display:block}nav{position:static;height:auto;max-height:40vh;border-right:0;border-bottom:1px solid var(--line)}}
@media print{:root,:root[data-theme]{color-scheme:light}body{display:block;font-size:11pt}nav{display:none}main{max-width:none;padding:0}article{break-inside:auto;border-color:#ccc;content-visibility:visible}article header,summary,h1,h2,h3{break-after:avoid}pre{max-height:none;break-inside:auto}a{color:inherit}}
`;
