// The offline model's description. Separate from its rules, which are loaded on its first request.
import type { Model } from '../../protocol/index.ts';

export const OFFLINE_API = 'parley-offline';

/** Shown once when the offline model is used because no other model is available. */
export const OFFLINE_NOTICE =
  'No provider key was found, so the offline model is used: a small rule-based substitute that handles simple requests. \
For a real model run “parley login”, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or another provider’s variable.';

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
