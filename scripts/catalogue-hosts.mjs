// Maps providers of the price list to providers of Parley: which models are used, and their ids at each host.
// @ts-check

/**
 * - `from`: the provider in the price list. `to`: the provider in Parley.
 * - `keep`: a filter for ids, used when the host no longer serves some models of a series.
 * - `id`: converts an id of the list to the id at the host.
 * - `aliases`: ids that the list has only as other names of a model with the same price.
 * - `unlisted`: models that the list does not have: US dollars per million tokens of input, output, cache read, cache write.
 * - `levels`: the thinking levels that the host supports; absent: all levels of the series.
 * - `noThinkingLevels`: models whose thinking level cannot be set at this host.
 * @typedef {object} Host
 * @property {string} from
 * @property {string} to
 * @property {RegExp} [keep]
 * @property {(id: string) => string} [id]
 * @property {readonly string[]} [aliases]
 * @property {Readonly<Record<string, readonly [number, number, number, number]>>} [unlisted]
 * @property {string} [levels]
 * @property {RegExp} [noThinkingLevels]
 */

const VENDORS =
  /^(amazon|anthropic|deepseek|google|meta-llama|minimax|mistralai|moonshotai|nvidia|openai|qwen|stepfun|x-ai|xiaomi|z-ai)\/(?!qwen3-(vl|32b))/;

/** Bedrock ids of older Claude models contain dates and versions that differ from those in the list. */
const BEDROCK_NAMES = /** @type {Readonly<Record<string, string>>} */ ({
  'anthropic.claude-opus-4-5-v1:0': 'anthropic.claude-opus-4-5-20251101-v1:0',
  'anthropic.claude-opus-4-6-v1:0': 'anthropic.claude-opus-4-6-v1',
});

/** @param {string} id */
function bedrockId(id) {
  const [, region, name = id] = /^(?:(global|regional)\.)?(.*)$/.exec(id) ?? [];
  const plain = /claude-(sonnet-4-6|opus-4-[78]|\w+-5)/.test(name) ? name.replace(/-v1:0$/, '') : name;
  const prefix = region === 'regional' ? 'us.' : region ? `${region}.` : '';
  return `${prefix}${BEDROCK_NAMES[name] ?? plain}`;
}

/** @type {readonly Host[]} */
export const HOSTS = [
  {
    from: 'anthropic',
    to: 'anthropic',
    unlisted: { 'claude-sonnet-5-5': [2, 10, 0.2, 2.5], 'claude-haiku-5-5': [0.1, 0.5, 0.01, 0.125] },
  },
  {
    from: 'openai',
    to: 'openai',
    keep: /^(?!gpt-oss)/,
    aliases: ['gpt-5.1-codex-max', 'gpt-5.2-codex'],
    unlisted: { 'gpt-6.1-sol': [2, 10, 0.1, 2.5] },
  },
  { from: 'google', to: 'google', keep: /^gemini-(?!3\.5-flash$)/ },
  { from: 'openrouter', to: 'openrouter', keep: VENDORS },
  { from: 'groq', to: 'groq', levels: 'lmh', noThinkingLevels: /qwen/ },
  { from: 'deepseek', to: 'deepseek', keep: /-v4-/ },
  { from: 'x-ai', to: 'xai', levels: 'h' },
  { from: 'mistral', to: 'mistral' },
  { from: 'huggingface_together', to: 'together', levels: 'olmh' },
  {
    from: 'fireworks',
    to: 'fireworks',
    id: (id) => `accounts/fireworks/${/-(fast|us)$/.test(id) ? 'routers' : 'models'}/${id}`,
    levels: 'olmh',
  },
  { from: 'cerebras', to: 'cerebras', levels: 'olmh' },
  {
    from: 'huggingface_novita',
    to: 'huggingface',
    keep: /gpt-oss|K2\.|GLM-(4\.7|5)|Qwen3\.5|Coder|V3\.2$|Llama-(3\.3|4)/,
    id: (id) => `${id}:novita`,
    levels: 'olmh',
  },
  { from: 'moonshotai', to: 'moonshot', keep: /^kimi-(k2\.|k3)/ },
  { from: 'zai', to: 'zai', id: (id) => id.toLowerCase() },
  {
    from: 'minimax',
    to: 'minimax',
    id: (id) => id.replace('minimax-m', 'MiniMax-M'),
    aliases: ['MiniMax-M2.1', 'MiniMax-M2.5'],
  },
  { from: 'aws', to: 'amazon-bedrock', keep: /^(?!openai\.gpt-5)(?!\w+\.openai)/, id: bedrockId },
  { from: 'google', to: 'google-vertex', keep: /^gemini-3/ },
];

/**
 * The model name that catalogue-series.mjs matches: lower case, without vendor, region, date and version.
 * @param {string} id
 */
export function bareName(id) {
  return id
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^((global|regional|us)\.)?(amazon|anthropic|deepseek|google|meta|mistral|nvidia|openai|qwen)\./, '')
    .replace(/(?<=\d)p(?=\d)/g, '.')
    .replace(/-20\d{6}/, '')
    .replace(/(-v\d+)?:\d+$/, '');
}

/**
 * @param {string} id
 * @param {string | undefined} listed
 */
export function displayName(id, listed) {
  if (listed && /^[A-Z]/.test(listed) && !/\(.*free.*\)/i.test(listed)) return listed.replace(/ \d+k$/, '');
  const words = bareName(id)
    .replace(/(?<=-\d)-(?=\d$|\d-)/, '.')
    .split('-');
  if (words[1] === 'oss') return words.slice(0, 3).join('-');
  if (words[0] === 'gpt') return [`GPT-${words[1]}`, ...words.slice(2).map(titleCase)].join(' ');
  return words.map(titleCase).join(' ');
}

/** @param {string} word */
function titleCase(word) {
  return /^(o\d|\d+b|a\d+b)$/.test(word) ? word : word.charAt(0).toUpperCase() + word.slice(1);
}
