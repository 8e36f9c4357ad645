// The style sheet of cards, subagents, chart and branch tree. The page's Content-Security-Policy allows it by its hash.

export const OVERVIEW_STYLE = `
:root{--c-input:light-dark(#3b7ddd,#5b9bf5);--c-output:light-dark(#d9722b,#f0a05a);--c-read:light-dark(#9cc6b4,#3f7a66);--c-write:light-dark(#8a6fc9,#a78be6);--warn-ink:light-dark(#8a5300,#e9b565)}
.card{border:1px solid var(--line);border-left:3px solid var(--good-ink);border-radius:8px;margin:.6rem 0;background:var(--raised);padding:.45rem .75rem;font-size:.9rem}
.card.error{border-left-color:var(--bad-ink)}.card.aborted,.card.open{border-left-color:var(--warn-ink)}
.head{display:flex;align-items:baseline;gap:.5rem;min-width:0}
.tool{font:600 .8rem ui-monospace,monospace;color:var(--accent);white-space:nowrap;max-width:40%;overflow:hidden;text-overflow:ellipsis}
.args{flex:1;min-width:0;overflow-wrap:anywhere}.subject{font:.8rem ui-monospace,monospace}.other{color:var(--quiet);font-size:.75rem;margin-left:.3rem;unicode-bidi:isolate}
.state{display:flex;gap:.5rem;align-items:baseline;white-space:nowrap;font-size:.72rem;color:var(--quiet);font-variant-numeric:tabular-nums}
.status{font-weight:600;color:var(--good-ink)}.card.error>.head .status{color:var(--bad-ink)}.card.aborted>.head .status,.card.open>.head .status{color:var(--warn-ink)}
.card pre{background:var(--ground);margin:.4rem 0 .2rem}.card details{margin:.25rem 0}.card .usage{margin:.25rem 0 0}
.part,.missing{font-size:.78rem;color:var(--quiet);margin:.3rem 0}
summary{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}summary .fold{font-weight:500}.preview{color:var(--quiet);font-size:.78rem;margin-left:.35rem;unicode-bidi:isolate}details[open]>summary .preview{display:none}
summary::marker{color:var(--quiet)}summary:hover .fold{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.arguments{margin:.3rem 0;display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem .8rem;font-size:.8rem}.arguments dt{color:var(--quiet);font-family:ui-monospace,monospace;max-width:10rem;overflow-wrap:anywhere}.arguments dd{margin:0;min-width:0;overflow-wrap:anywhere}.arguments pre{margin:0}
.outcome:target{outline:2px solid var(--accent);outline-offset:3px;border-radius:4px}.outcome{scroll-margin-top:3rem}
.subagent{border:1px solid var(--line);border-radius:8px;background:var(--ground);padding:.4rem .7rem}
.subagent>summary .fold{color:var(--ink);font-weight:600;font-size:.82rem}
.transcript{border-left:2px solid var(--line);margin:.6rem 0 .2rem .2rem;padding-left:.9rem;font-size:.93rem}
.transcript section{padding:.35rem 0;border-bottom:1px dashed var(--line)}.transcript section:last-child{border-bottom:0}
.transcript header{display:flex;justify-content:space-between;gap:1rem;color:var(--quiet);font-size:.72rem}.transcript h3{font-size:.75rem;margin:0;font-weight:600;overflow-wrap:anywhere}.transcript section.user h3{color:var(--accent)}
.panel{border:1px solid var(--line);border-radius:10px;padding:.7rem 1rem;margin:0 0 1rem;background:var(--ground)}
.panel h2{font-size:.9rem;margin:0;display:inline-block}.panel h3{font-size:.8rem;margin:.9rem 0 .3rem}.note{display:inline;margin:0 0 0 .6rem;font-size:.78rem;color:var(--quiet)}
.panel table{border-collapse:collapse;font-size:.78rem;width:100%}.panel th,.panel td{border-bottom:1px solid var(--line);padding:.2rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
.panel .numbers td,.panel .numbers th{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.panel .numbers td:first-child,.panel .numbers th:first-child{text-align:left}
#overview .panel details{margin:.3rem 0}.panel .prose{font-size:.88rem}#overview{margin:0 0 2rem}[data-searching] #overview{display:none}
.scroll{overflow:auto;margin:.4rem 0}.tall{max-height:24rem}
svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
.chart{width:100%;min-width:29rem;height:auto;display:block}.chart .axis{font-size:11px;fill:var(--quiet)}.grid{stroke:var(--line);stroke-width:1}
.chart .input,.key.input{fill:var(--c-input);background:var(--c-input)}.chart .output,.key.output{fill:var(--c-output);background:var(--c-output)}.chart .cacheRead,.key.cacheRead{fill:var(--c-read);background:var(--c-read)}.chart .cacheWrite,.key.cacheWrite{fill:var(--c-write);background:var(--c-write)}
.chart polyline.cost{fill:none;stroke:var(--ink);stroke-width:2;stroke-linejoin:round}.cost-end{fill:var(--ink)}.chart line.compaction{stroke:var(--warn-ink);stroke-dasharray:3 3}.diamond{fill:var(--warn-ink)}.bar:hover{opacity:.75}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:.2rem 0 .5rem;padding:0;font-size:.78rem;color:var(--quiet)}.key{display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin-right:.35rem;vertical-align:-1px}.key.cost{height:2px;background:var(--ink);vertical-align:4px;width:1rem}.key.compaction{background:var(--warn-ink);transform:rotate(45deg) scale(.75)}
.tree{display:block}.edge{fill:none;stroke:light-dark(#aeb7c2,#4a5462);stroke-width:2}.edge.now{stroke:var(--accent)}
.row .node{fill:var(--ground);stroke:var(--quiet);stroke-width:2}.row.now .node{fill:var(--accent);stroke:var(--accent)}.row .diamond.node{fill:var(--warn-ink);stroke:var(--warn-ink)}.ring{fill:none;stroke:var(--accent);stroke-width:2}
.row .hit{fill:transparent}.row:hover .hit,.row:focus-visible .hit{fill:var(--raised)}.row:focus-visible{outline:none}.row:focus-visible .hit{stroke:var(--accent);stroke-width:2}
.row text{fill:var(--quiet)}.row.now text{fill:var(--ink)}.row .more{fill:var(--quiet);font-size:11px}.row .flag{fill:var(--warn-ink);font-weight:600}.row .here{fill:var(--accent);font-weight:600;font-size:11px}.row.compaction text{fill:var(--warn-ink)}
@media(max-width:60rem){.outline{display:none}}
@media(max-width:40rem){main{padding:1.2rem .8rem}article{padding:.6rem .75rem}.head{flex-wrap:wrap}.args{order:3;flex-basis:100%}.state{margin-left:auto}.arguments{grid-template-columns:minmax(0,1fr)}.transcript{padding-left:.6rem}summary{white-space:normal}.preview{display:none}}
@media print{.tall{max-height:none;overflow:visible}.scroll{overflow:visible}.chart{min-width:0}.card,.subagent,.panel{break-inside:auto}.panel svg{break-inside:avoid}}
`;
