// From the price list's providers to ours: whose models are taken, and how each host spells their names.
// @ts-check

/**
 * - `from`: the price list's name of the provider. `to`: ours.
 * - `keep`: only these of its ids, where families alone would let in what the host does not serve any more.
 * - `id`: what the host calls a model that the list calls otherwise.
 * - `also`: ids that the list knows only as other names of the same price.
 * - `more`: what the list has not heard of yet: US dollars for a million tokens of input, output, cache read, cache write.
 * - `levels`: the only thinking levels that the host passes on; absent: all that the family has.
 * - `thoughtless`: these think as they please here, and are told nothing.
 * @typedef {object} Host
 * @property {string} from
 * @property {string} to
 * @property {RegExp} [keep]
 * @property {(id: string) => string} [id]
 * @property {readonly string[]} [also]
 * @property {Readonly<Record<string, readonly [number, number, number, number]>>} [more]
 * @property {string} [levels]
 * @property {RegExp} [thoughtless]
 */

const VENDORS =
  /^(amazon|anthropic|deepseek|google|meta-llama|minimax|mistralai|moonshotai|nvidia|openai|qwen|stepfun|x-ai|xiaomi|z-ai)\/(?!qwen3-(vl|32b))/;

/** Bedrock's own names of the older Claudes carry dates and versions that the list leaves out or invents. */
const BEDROCK_NAMES = /** @type {Readonly<Record<string, string>>} */ ({
  'anthropic.claude-opus-4-5-v1:0': 'anthropic.claude-opus-4-5-20251101-v1:0',
  'anthropic.claude-opus-4-6-v1:0': 'anthropic.claude-opus-4-6-v1',
});

/** @param {string} id */
function bedrock(id) {
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
    more: { 'claude-sonnet-5-5': [2, 10, 0.2, 2.5], 'claude-haiku-5-5': [0.1, 0.5, 0.01, 0.125] },
  },
  {
    from: 'openai',
    to: 'openai',
    keep: /^(?!gpt-oss)/,
    also: ['gpt-5.1-codex-max', 'gpt-5.2-codex'],
    more: { 'gpt-6.1-sol': [2, 10, 0.1, 2.5] },
  },
  { from: 'google', to: 'google', keep: /^gemini-(?!3\.5-flash$)/ },
  { from: 'openrouter', to: 'openrouter', keep: VENDORS },
  { from: 'groq', to: 'groq', levels: 'lmh', thoughtless: /qwen/ },
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
    also: ['MiniMax-M2.1', 'MiniMax-M2.5'],
  },
  { from: 'aws', to: 'amazon-bedrock', keep: /^(?!openai\.gpt-5)(?!\w+\.openai)/, id: bedrock },
  { from: 'google', to: 'google-vertex', keep: /^gemini-3/ },
];

/**
 * The name that families know a model by.
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
  if (words[0] === 'gpt') return [`GPT-${words[1]}`, ...words.slice(2).map(titled)].join(' ');
  return words.map(titled).join(' ');
}

/** @param {string} word */
function titled(word) {
  return /^(o\d|\d+b|a\d+b)$/.test(word) ? word : word.charAt(0).toUpperCase() + word.slice(1);
}
