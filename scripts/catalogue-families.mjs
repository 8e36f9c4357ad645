// What models can do, family by family: the price list does not say. From the providers' own pages; the first row that fits counts.
// @ts-check

/**
 * - `levels`: how hard it may be told to think, a letter each (see LEVELS). Absent: it does not think.
 *   A `*` stands for the usual levels of our own, where a budget of tokens makes every one of them real.
 * - `sees`: it takes images.
 * - `window`: tokens of context, where the price list does not know. `out`: the longest answer.
 * @typedef {{ levels?: string, sees?: true, window: number, out: number }} Family
 */

/** off, minimal, low, medium, high, xhigh. A letter that is missing is a level that the model would refuse or ignore. */
export const LEVELS = 'onlmhx';

const K = 1000;
const M = 1_000_000;
const KI = 1024;
const MI = KI * KI;

/**
 * Matched against the bare name: lower case, without the host's prefixes and suffixes.
 * @type {readonly (readonly [RegExp, Family])[]}
 */
// biome-ignore format: a table is read by its columns
const FAMILIES = [
  // Some cannot be kept from thinking; those write no `o`.
  [/^claude-(fable|mythos)-5/, { levels: 'lmhx', sees: true, window: M, out: 128 * K }],
  [/^claude-opus-5[.-]5/, { levels: 'lmhx', sees: true, window: M, out: 128 * K }],
  [/^claude-(opus|sonnet|haiku)-5/, { levels: 'olmhx', sees: true, window: M, out: 128 * K }],
  [/^claude-opus-4[.-][678](-fast)?$/, { levels: 'olmhx', sees: true, window: M, out: 128 * K }],
  [/^claude-sonnet-4[.-]6$/, { levels: 'olmhx', sees: true, window: M, out: 64 * K }],
  [/^claude-(opus|sonnet|haiku)-4[.-]5$/, { levels: '*', sees: true, window: 200 * K, out: 64 * K }],

  [/^gpt-6(\.1|-astra)/, { levels: 'lmhx', sees: true, window: 1_050_000, out: 128 * K }],
  [/^gpt-6-(sol|luna)$/, { levels: 'olmhx', sees: true, window: 1_050_000, out: 128 * K }],
  [/^gpt-5\.[2-5]-pro$/, { levels: 'mhx', sees: true, window: 400 * K, out: 128 * K }],
  [/^gpt-5\.1-codex-max$|^gpt-5\.[2-5]-codex$/, { levels: 'lmhx', sees: true, window: 400 * K, out: 128 * K }],
  [/^gpt-5\.[2456](-(mini|nano|sol|terra|luna))?$/, { levels: 'olmhx', sees: true, window: 400 * K, out: 128 * K }],
  [/^gpt-5\.1$/, { levels: 'olmh', sees: true, window: 400 * K, out: 128 * K }],
  [/^gpt-5-pro$/, { levels: 'h', sees: true, window: 400 * K, out: 272 * K }],
  [/^gpt-5(-mini|-nano)?$/, { levels: 'nlmh', sees: true, window: 400 * K, out: 128 * K }],
  [/^o3(-pro)?$/, { levels: 'lmh', sees: true, window: 200 * K, out: 100 * K }],
  [/^gpt-4\.1(-mini)?$/, { sees: true, window: 1_047_576, out: 32 * KI }],
  [/^gpt-4o(-mini)?$/, { sees: true, window: 128 * K, out: 16 * KI }],
  [/^gpt-oss-(20|120)b(-1)?$/, { levels: 'lmh', window: 128 * KI, out: 32 * KI }],

  [/^gemini-3\.[678]-flash$/, { levels: 'lmh', sees: true, window: MI, out: 64 * KI }],
  [/^gemini-3\.1-pro-preview$/, { levels: 'lmh', sees: true, window: MI, out: 64 * KI }],
  [/^gemini-3(\.[15])?-flash(-lite)?(-preview)?$/, { levels: 'nlmh', sees: true, window: MI, out: 64 * KI }],
  [/^gemini-2\.5-pro$/, { levels: 'nlmh', sees: true, window: MI, out: 64 * KI }],
  [/^gemini-2\.5-flash(-lite)?$/, { levels: '*', sees: true, window: MI, out: 64 * KI }],
  [/^gemma-4-/, { levels: 'oh', sees: true, window: 256 * KI, out: 32 * KI }],

  [/^grok-4[.-]1-fast-non-reasoning$/, { sees: true, window: 2 * M, out: 32 * KI }],
  [/^grok-4\.[356]$/, { levels: 'lmh', sees: true, window: 500 * K, out: 128 * K }],
  [/^grok-4[.-]1-fast(-reasoning)?$/, { levels: 'h', sees: true, window: 2 * M, out: 32 * KI }],
  [/^grok-4\.20$/, { levels: 'h', sees: true, window: M, out: 64 * KI }],
  [/^grok-(code-fast-1|build-0\.1)$/, { levels: 'h', window: 256 * K, out: 32 * KI }],

  [/^deepseek-v4-(flash|pro)$/, { levels: 'olhx', window: M, out: 384 * K }],
  [/^deepseek-v3\.2$/, { levels: 'oh', window: 128 * KI, out: 32 * KI }],
  [/^kimi-k3(-fast|-us)?$/, { levels: 'lhx', sees: true, window: MI, out: 128 * KI }],
  [/^kimi-k2\.7-code/, { levels: 'h', window: 256 * KI, out: 64 * KI }],
  [/^kimi-k2\.[56](-fast)?$/, { levels: 'oh', sees: true, window: 256 * KI, out: 64 * KI }],
  [/^kimi-k2-thinking$/, { levels: 'h', window: 256 * KI, out: 64 * KI }],
  [/^glm-5\.[23](-fast|-flash)?$/, { levels: 'oh', window: M, out: 128 * KI }],
  [/^glm-(5|5\.1|5-turbo|4\.[67]|4\.7-flash)(-fast|-fp8)?$/, { levels: 'oh', window: 128 * KI, out: 96 * KI }],
  [/^minimax-m3$/, { levels: 'h', window: 512 * KI, out: 128 * KI }],
  [/^minimax-m2\.[157](-highspeed)?$/, { levels: 'h', window: 200 * K, out: 128 * KI }],

  [/^qwen3-coder/, { window: 256 * KI, out: 64 * KI }],
  [/^qwen3-vl-.*thinking/, { levels: 'h', sees: true, window: 128 * KI, out: 32 * KI }],
  [/^qwen3-vl-/, { sees: true, window: 128 * KI, out: 32 * KI }],
  [/^qwen3-(235b|next|max).*thinking/, { levels: 'h', window: 128 * KI, out: 32 * KI }],
  [/^qwen3-(235b|next).*(instruct|2507)/, { window: 128 * KI, out: 32 * KI }],
  [/^qwen3-max$/, { window: 256 * KI, out: 64 * KI }],
  [/^qwen3\.[67]-max/, { levels: 'oh', window: 256 * KI, out: 64 * KI }],
  [/^qwen3\.[567]-/, { levels: 'oh', sees: true, window: 256 * KI, out: 64 * KI }],
  [/^qwen3-32b/, { window: 32 * K, out: 16 * KI }],

  [/^mistral-(medium-(3-5|latest)|small-2603)$/, { levels: 'oh', sees: true, window: 256 * KI, out: 64 * KI }],
  [/^(mistral-large-2512|mistral-large-3|ministral-(3|8|14)b-2512|mistral-medium-3\.1)/, { sees: true, window: 128 * KI, out: 32 * KI }],
  [/^(devstral-2512|devstral-2-|codestral-2508)/, { window: 256 * K, out: 32 * KI }],

  [/^llama-?4-(maverick|scout)/, { sees: true, window: 128 * KI, out: 8 * KI }],
  [/^llama-?3[.-]3-70b-(instruct|versatile)/, { window: 128 * KI, out: 16 * KI }],
  [/^llama-3\.1-8b-instant$/, { window: 128 * KI, out: 64 * KI }],
  [/^nova-(2-lite|premier|pro|lite)/, { sees: true, window: 300 * K, out: 10 * K }],
  [/^nova-micro/, { window: 128 * K, out: 10 * K }],
  [/^nemotron-3-(nano|super|ultra)(-nvfp4|-\d+b-a\d+b)?$|^nemotron-(nano|super)-3-/, { levels: 'oh', window: 256 * K, out: 32 * KI }],
  [/^mimo-v2(\.5|-flash)/, { levels: 'oh', window: 256 * KI, out: 64 * KI }],
  [/^step-3\.[57]-flash$/, { levels: 'h', window: 256 * KI, out: 64 * KI }],
];

/** What nobody holds a conversation with, and what is shut down or copied under another name. */
const NOT_FOR_US =
  /embed|audio|speech|voice|tts|transcribe|whisper|realtime|live|image|vision-preview|ocr|moderation|guard|content-safety|search|deep-research|computer-use|multi-agent|-chat|omni|:(free|batch|extended|thinking)$/;

/** @param {string} name @returns {Family | undefined} */
export function familyOf(name) {
  return NOT_FOR_US.test(name) ? undefined : FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
}
