// The app's environment for tools: everything the user has, without what only the agent itself needs to reach its models.

import { KEY_VARIABLES } from '../../llm/index.ts';

/** Providers that other programs reach with `<NAME>_API_KEY`. Their keys are as good as ours. */
const OTHERS = [
  'AZURE',
  'BASETEN',
  'COHERE',
  'DASHSCOPE',
  'DEEPINFRA',
  'HYPERBOLIC',
  'KIMI',
  'MINIMAX_CN',
  'NEBIUS',
  'NOVITA',
  'OPENCODE',
  'SILICONFLOW',
  'TOGETHER_AI',
  'VENICE',
  'XIAOMI',
  'ZHIPU',
] as const;

/** Variables that hold a provider's key. General ones that users' own tools need, such as GITHUB_TOKEN, are not here. */
export const PROVIDER_VARIABLES: readonly string[] = [
  ...KEY_VARIABLES,
  ...OTHERS.map((name) => `${name}_API_KEY`),
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'COPILOT_GITHUB_TOKEN',
];

const OWN_SECRET = /^PARLEY_.*(KEY|TOKEN|SECRET|PASSWORD)/i;

/** `more` names further variables, such as those that a user's model list takes its keys from. */
export function isWithheld(name: string, more: readonly string[] = []): boolean {
  return OWN_SECRET.test(name) || PROVIDER_VARIABLES.includes(name.toUpperCase()) || more.includes(name);
}

export function createToolEnv(env: NodeJS.ProcessEnv, more: readonly string[] = []): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isWithheld(name, more)) kept[name] = value;
  }
  return kept;
}
