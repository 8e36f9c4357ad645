// First floor, llm: the offline model as hosts see it. Kept apart from its rules, which load when it is first asked.
import type { Model } from '../../protocol/index.ts';

export const OFFLINE_API = 'parley-offline';

/** Said once wherever the offline model answers because nothing else can. */
export const OFFLINE_NOTICE =
  'No key of a provider was found, so the offline model answers: a small stand-in that follows plain requests by rule. \
For a real model set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or another provider’s variable, or write the key to auth.json.';

export const offlineModel: Model = {
  id: 'offline',
  name: 'Parley offline',
  api: OFFLINE_API,
  provider: 'parley',
  baseUrl: '',
  reasoning: true,
  input: ['text'],
  contextWindow: 200_000,
  maxTokens: 8192,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
