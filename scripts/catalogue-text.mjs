// The text of src/llm/catalogue/generated.ts for one day: prices from the list, abilities from the families. Pure but for the list.
// @ts-check
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { familyOf, LEVELS } from './catalogue-families.mjs';
import { bareName, displayName, HOSTS } from './catalogue-hosts.mjs';

/** @typedef {import('./catalogue-hosts.mjs').Host} Host */
/** @typedef {import('../src/llm/catalogue/row.ts').CatalogueRow} Row */

/** @param {string} date such as 2026-11-15 */
export function catalogueText(date) {
  const hosts = HOSTS.map((host) => ({ to: host.to, rows: rowsOf(host, date) }));
  const lines = hosts.map(
    ({ to, rows }) => `  '${to}': [\n${rows.map((row) => `    ${literal(row)},\n`).join('')}  ],`,
  );
  return `// First floor, llm: models, their abilities and their prices of ${date}. Data, written by \`npm run catalogue\`: do not edit.
// biome-ignore-all format: one model, one line
// biome-ignore-all lint/complexity/useLiteralKeys: every provider is written alike
import type { CatalogueRow } from './row.ts';

export const ROWS: Readonly<Record<string, readonly CatalogueRow[]>> = {
${lines.join('\n')}
};
`;
}

/**
 * The rows of the models to begin with, apart from all others, because a start with a key needs one of them.
 * @param {string} date
 * @param {string} defaults the text of src/llm/defaults.ts
 */
export function firstRowsText(date, defaults) {
  const [table = ''] = /DEFAULT_MODELS.*?\]\);/s.exec(defaults) ?? [];
  const lines = [...table.matchAll(/\['([^']+)', '([^']+)'\]/g)].map(([, to, id]) => {
    const host = HOSTS.find((candidate) => candidate.to === to);
    const row = host && rowsOf(host, date).find(([own]) => own === id);
    if (!row) throw new Error(`The catalogue has no ${to}/${id}`);
    return `  '${to}': ${literal(row)},`;
  });
  return `// First floor, llm: the models to begin with, of generated.ts. Data, written by \`npm run catalogue\`: do not edit.
// biome-ignore-all format: one model, one line
// biome-ignore-all lint/complexity/useLiteralKeys: every provider is written alike
import type { CatalogueRow } from './row.ts';

export const FIRST_ROWS: Readonly<Record<string, CatalogueRow>> = {
${lines.join('\n')}
};
`;
}

/**
 * @param {Host} host
 * @param {string} date
 * @returns {Row[]}
 */
export function rowsOf(host, date) {
  const provider = findProvider({ providerId: host.from });
  if (provider?.id !== host.from) throw new Error(`The price list has no provider ${host.from}`);
  const rows = provider.models
    .filter(({ id, deprecated }) => !deprecated && (host.keep?.test(id) ?? true))
    .flatMap((model) => {
      // Its own name, because the patterns of the list are made for what comes back from an API.
      const only = { ...provider, models: [{ ...model, match: { equals: model.id } }] };
      const priced = priceOf(model.id, only, date);
      return priced ? rowOf(host, model.id, model.name, priced.prices, priced.window) : [];
    });
  const also = (host.also ?? []).flatMap((id) => {
    const priced = priceOf(id, provider, date);
    return priced ? rowOf(host, id, undefined, priced.prices, priced.window) : [];
  });
  const more = Object.entries(host.more ?? {}).flatMap(([id, prices]) => rowOf(host, id, undefined, prices, undefined));
  return [...rows, ...also, ...more].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * @param {Host} host
 * @param {string} id
 * @param {string | undefined} listed
 * @param {readonly [number, number, number, number]} prices
 * @param {number | undefined} window
 * @returns {Row[]}
 */
function rowOf(host, id, listed, prices, window) {
  const family = familyOf(bareName(id));
  if (!family) return [];
  const contextWindow = window ?? family.window;
  return [
    [
      host.id?.(id) ?? id,
      displayName(id, listed),
      family.sees ? 1 : 0,
      host.thoughtless?.test(id) ? '' : levelsOf(family.levels, host.levels),
      contextWindow,
      Math.min(family.out, contextWindow),
      ...prices,
    ],
  ];
}

/**
 * A model that thinks keeps at least one level: `h`, which says that it does and leaves the rest to it.
 * @param {string | undefined} has
 * @param {string | undefined} passed
 */
function levelsOf(has, passed) {
  if (has === undefined || passed === undefined) return has ?? '';
  return [...LEVELS].filter((letter) => has.includes(letter) && passed.includes(letter)).join('') || 'h';
}

/**
 * At noon, which is nobody's rush hour on the list. Long contexts cost more with some; the list's base price counts.
 * @param {string} id
 * @param {import('@pydantic/genai-prices').Provider} provider
 * @param {string} date
 */
function priceOf(id, provider, date) {
  const found = calcPrice({ input_tokens: 1 }, id, { provider, timestamp: new Date(`${date}T12:00:00Z`) });
  if (!found) return undefined;
  const [input, output, read, write] = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok'].map((key) =>
    plain(found.model_price[key]),
  );
  if (input === undefined || output === undefined) return undefined;
  // Without a price of its own, a cached token costs what any other does.
  const prices = /** @type {const} */ ([input, output, read ?? input, write ?? input]);
  return { prices, window: found.model.context_window };
}

/** @param {number | { base: number } | undefined} price */
function plain(price) {
  const base = typeof price === 'object' ? price.base : price;
  return base === undefined ? undefined : Number(base.toPrecision(6));
}

/** @param {Row} row */
function literal(row) {
  return `[${row.map((field) => (typeof field === 'string' ? `'${field}'` : field)).join(', ')}]`;
}
