// Writes generated.ts and default-rows.ts of src/llm/catalogue with the prices of one day: `npm run catalogue -- 2026-11-15`. The default
// is the day in generated.ts.
// @ts-check
import { readFile, writeFile } from 'node:fs/promises';
import { catalogueText, firstRowsText } from './catalogue-text.mjs';

const file = new URL('../src/llm/catalogue/generated.ts', import.meta.url);
const date = process.argv[2] ?? /prices of (\S+)\./.exec(await readFile(file, 'utf8'))?.[1];
if (!date || !/^\d{4}-\d{2}-\d{2}$/.test(date))
  throw new Error(`Invalid date (expected a form like 2026-11-15): ${date}`);
const text = catalogueText(date);
await writeFile(file, text);
const defaults = await readFile(new URL('../src/llm/default-models.ts', import.meta.url), 'utf8');
await writeFile(new URL('default-rows.ts', file), firstRowsText(date, defaults));
console.error(`src/llm/catalogue/generated.ts: ${text.split('\n    [').length - 1} models, ${text.length} bytes`);
