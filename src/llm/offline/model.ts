// First floor, llm: the offline model as hosts see it. Kept apart from its rules, which load when it is first asked.
import type { Model } from '../../protocol/index.ts';

export const OFFLINE_API = 'parley-offline';

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
