import { afterEach, beforeEach } from 'vitest';
import { modelApiContract } from '../contract.ts';
import { stage } from './anthropic-stage.ts';
const at = stage();
let t: NodeJS.Timeout;
let log: string[] = [];
beforeEach(() => { log = []; t = setTimeout(() => process.stderr.write(`HANG ${log.join(' ')} received ${at.server.received.length}\n`), 1500); });
afterEach(() => clearTimeout(t));
const words = { parts: [{ text: Array.from({ length: 40 }, (_, n) => `word${n} `) }] };
const api = { stream: async function* (r: never) { for await (const e of at.api.stream(r)) { log.push(e.type); yield e; log.push('next'); } } };
for (let i = 0; i < 25; i++)
modelApiContract(`a${i}`, () => ({
  api: api as never,
  long(signal) {
    signal.addEventListener('abort', () => log.push('ABORT'));
    at.server.reply({ answer: words, pieces: 100 });
    return at.request({ signal });
  },
  calling(signal) {
    at.server.reply({ answer: { parts: [{ call: 'toolu_01A', name: 'read', input: { path: 'a.ts' } }] } });
    return at.request({ signal });
  },
}));
