// Abilities of model series, which the price list does not have. From the documentation of the providers. The first match is used.
// @ts-check

/**
 * - `levels`: the thinking levels, one letter each (see LEVELS). Absent: the model does not think.
 *   `*` means the default levels, for models with a token budget for thinking.
 * - `images`: the model accepts images.
 * - `window`: the context window in tokens, if the price list does not have it. `maxOutput`: the longest answer in tokens.
 * @typedef {{ levels?: string, images?: true, window: number, maxOutput: number }} ModelSeries
 */

/** off, minimal, low, medium, high, xhigh. The model rejects or ignores a level whose letter is missing. */
export const LEVELS = 'onlmhx';

const K = 1000;
const M = 1_000_000;
const KI = 1024;
const MI = KI * KI;

/**
 * Matched against the result of bareName(): lower case, without prefixes and suffixes of the host.
 * @type {readonly (readonly [RegExp, ModelSeries])[]}
 */
// biome-ignore format: a table is read by its columns
const SERIES = [
  // Models that always think have no `o`.
  [/^claude-(fable|mythos)-5/, { levels: 'lmhx', images: true, window: M, maxOutput: 128 * K }],
  [/^claude-opus-5[.-]5/, { levels: 'lmhx', images: true, window: M, maxOutput: 128 * K }],
  [/^claude-(opus|sonnet|haiku)-5/, { levels: 'olmhx', images: true, window: M, maxOutput: 128 * K }],
  [/^claude-opus-4[.-][678](-fast)?$/, { levels: 'olmhx', images: true, window: M, maxOutput: 128 * K }],
  [/^claude-sonnet-4[.-]6$/, { levels: 'olmhx', images: true, window: M, maxOutput: 64 * K }],
  [/^claude-(opus|sonnet|haiku)-4[.-]5$/, { levels: '*', images: true, window: 200 * K, maxOutput: 64 * K }],

  [/^gpt-6(\.1|-astra)/, { levels: 'lmhx', images: true, window: 1_050_000, maxOutput: 128 * K }],
  [/^gpt-6-(sol|luna)$/, { levels: 'olmhx', images: true, window: 1_050_000, maxOutput: 128 * K }],
  [/^gpt-5\.[2-5]-pro$/, { levels: 'mhx', images: true, window: 400 * K, maxOutput: 128 * K }],
  [/^gpt-5\.1-codex-max$|^gpt-5\.[2-5]-codex$/, { levels: 'lmhx', images: true, window: 400 * K, maxOutput: 128 * K }],
  [/^gpt-5\.[2456](-(mini|nano|sol|terra|luna))?$/, { levels: 'olmhx', images: true, window: 400 * K, maxOutput: 128 * K }],
  [/^gpt-5\.1$/, { levels: 'olmh', images: true, window: 400 * K, maxOutput: 128 * K }],
  [/^gpt-5-pro$/, { levels: 'h', images: true, window: 400 * K, maxOutput: 272 * K }],
  [/^gpt-5(-mini|-nano)?$/, { levels: 'nlmh', images: true, window: 400 * K, maxOutput: 128 * K }],
  [/^o3(-pro)?$/, { levels: 'lmh', images: true, window: 200 * K, maxOutput: 100 * K }],
  [/^gpt-4\.1(-mini)?$/, { images: true, window: 1_047_576, maxOutput: 32 * KI }],
  [/^gpt-4o(-mini)?$/, { images: true, window: 128 * K, maxOutput: 16 * KI }],
  [/^gpt-oss-(20|120)b(-1)?$/, { levels: 'lmh', window: 128 * KI, maxOutput: 32 * KI }],

  [/^gemini-3\.[678]-flash$/, { levels: 'lmh', images: true, window: MI, maxOutput: 64 * KI }],
  [/^gemini-3\.1-pro-preview$/, { levels: 'lmh', images: true, window: MI, maxOutput: 64 * KI }],
  [/^gemini-3(\.[15])?-flash(-lite)?(-preview)?$/, { levels: 'nlmh', images: true, window: MI, maxOutput: 64 * KI }],
  [/^gemini-2\.5-pro$/, { levels: 'nlmh', images: true, window: MI, maxOutput: 64 * KI }],
  [/^gemini-2\.5-flash(-lite)?$/, { levels: '*', images: true, window: MI, maxOutput: 64 * KI }],
  [/^gemma-4-/, { levels: 'oh', images: true, window: 256 * KI, maxOutput: 32 * KI }],

  [/^grok-4[.-]1-fast-non-reasoning$/, { images: true, window: 2 * M, maxOutput: 32 * KI }],
  [/^grok-4\.[356]$/, { levels: 'lmh', images: true, window: 500 * K, maxOutput: 128 * K }],
  [/^grok-4[.-]1-fast(-reasoning)?$/, { levels: 'h', images: true, window: 2 * M, maxOutput: 32 * KI }],
  [/^grok-4\.20$/, { levels: 'h', images: true, window: M, maxOutput: 64 * KI }],
  [/^grok-(code-fast-1|build-0\.1)$/, { levels: 'h', window: 256 * K, maxOutput: 32 * KI }],

  [/^deepseek-v4-(flash|pro)$/, { levels: 'olhx', window: M, maxOutput: 384 * K }],
  [/^deepseek-v3\.2$/, { levels: 'oh', window: 128 * KI, maxOutput: 32 * KI }],
  [/^kimi-k3(-fast|-us)?$/, { levels: 'lhx', images: true, window: MI, maxOutput: 128 * KI }],
  [/^kimi-k2\.7-code/, { levels: 'h', window: 256 * KI, maxOutput: 64 * KI }],
  [/^kimi-k2\.[56](-fast)?$/, { levels: 'oh', images: true, window: 256 * KI, maxOutput: 64 * KI }],
  [/^kimi-k2-thinking$/, { levels: 'h', window: 256 * KI, maxOutput: 64 * KI }],
  [/^glm-5\.[23](-fast|-flash)?$/, { levels: 'oh', window: M, maxOutput: 128 * KI }],
  [/^glm-(5|5\.1|5-turbo|4\.[67]|4\.7-flash)(-fast|-fp8)?$/, { levels: 'oh', window: 128 * KI, maxOutput: 96 * KI }],
  [/^minimax-m3$/, { levels: 'h', window: 512 * KI, maxOutput: 128 * KI }],
  [/^minimax-m2\.[157](-highspeed)?$/, { levels: 'h', window: 200 * K, maxOutput: 128 * KI }],

  [/^qwen3-coder/, { window: 256 * KI, maxOutput: 64 * KI }],
  [/^qwen3-vl-.*thinking/, { levels: 'h', images: true, window: 128 * KI, maxOutput: 32 * KI }],
  [/^qwen3-vl-/, { images: true, window: 128 * KI, maxOutput: 32 * KI }],
  [/^qwen3-(235b|next|max).*thinking/, { levels: 'h', window: 128 * KI, maxOutput: 32 * KI }],
  [/^qwen3-(235b|next).*(instruct|2507)/, { window: 128 * KI, maxOutput: 32 * KI }],
  [/^qwen3-max$/, { window: 256 * KI, maxOutput: 64 * KI }],
  [/^qwen3\.[67]-max/, { levels: 'oh', window: 256 * KI, maxOutput: 64 * KI }],
  [/^qwen3\.[567]-/, { levels: 'oh', images: true, window: 256 * KI, maxOutput: 64 * KI }],
  [/^qwen3-32b/, { window: 32 * K, maxOutput: 16 * KI }],

  [/^mistral-(medium-(3-5|latest)|small-2603)$/, { levels: 'oh', images: true, window: 256 * KI, maxOutput: 64 * KI }],
  [/^(mistral-large-2512|mistral-large-3|ministral-(3|8|14)b-2512|mistral-medium-3\.1)/, { images: true, window: 128 * KI, maxOutput: 32 * KI }],
  [/^(devstral-2512|devstral-2-|codestral-2508)/, { window: 256 * K, maxOutput: 32 * KI }],

  [/^llama-?4-(maverick|scout)/, { images: true, window: 128 * KI, maxOutput: 8 * KI }],
  [/^llama-?3[.-]3-70b-(instruct|versatile)/, { window: 128 * KI, maxOutput: 16 * KI }],
  [/^llama-3\.1-8b-instant$/, { window: 128 * KI, maxOutput: 64 * KI }],
  [/^nova-(2-lite|premier|pro|lite)/, { images: true, window: 300 * K, maxOutput: 10 * K }],
  [/^nova-micro/, { window: 128 * K, maxOutput: 10 * K }],
  [/^nemotron-3-(nano|super|ultra)(-nvfp4|-\d+b-a\d+b)?$|^nemotron-(nano|super)-3-/, { levels: 'oh', window: 256 * K, maxOutput: 32 * KI }],
  [/^mimo-v2(\.5|-flash)/, { levels: 'oh', window: 256 * KI, maxOutput: 64 * KI }],
  [/^step-3\.[57]-flash$/, { levels: 'h', window: 256 * KI, maxOutput: 64 * KI }],
];

/** Models that are not for conversations, are shut down, or are duplicates under another name. */
const EXCLUDED =
  /embed|audio|speech|voice|tts|transcribe|whisper|realtime|live|image|vision-preview|ocr|moderation|guard|content-safety|search|deep-research|computer-use|multi-agent|-chat|omni|:(free|batch|extended|thinking)$/;

/** @param {string} name @returns {ModelSeries | undefined} */
export function findSeries(name) {
  return EXCLUDED.test(name) ? undefined : SERIES.find(([pattern]) => pattern.test(name))?.[1];
}
