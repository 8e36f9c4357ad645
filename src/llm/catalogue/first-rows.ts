// First floor, llm: the models to begin with, of generated.ts. Data, written by `npm run catalogue`: do not edit.
// biome-ignore-all format: one model, one line
// biome-ignore-all lint/complexity/useLiteralKeys: every provider is written alike
import type { CatalogueRow } from './row.ts';

export const FIRST_ROWS: Readonly<Record<string, CatalogueRow>> = {
  'anthropic': ['claude-opus-5-5', 'Claude Opus 5.5', 1, 'lmhx', 1000000, 128000, 4, 20, 0.2, 5],
  'openai': ['gpt-6.1-sol', 'GPT-6.1 Sol', 1, 'lmhx', 1050000, 128000, 2, 10, 0.1, 2.5],
  'google': ['gemini-3.1-pro-preview', 'Gemini 3.1 Pro Preview', 1, 'lmh', 1048576, 65536, 2, 12, 0.2, 2],
  'openrouter': ['anthropic/claude-opus-5.5', 'Claude Opus 5.5', 1, 'lmhx', 1000000, 128000, 4, 20, 0.2, 5],
  'xai': ['grok-4.6', 'Grok 4.6', 1, 'h', 500000, 128000, 2, 6, 0.5, 2],
  'deepseek': ['deepseek-v4-pro', 'DeepSeek V4 Pro', 0, 'olhx', 1000000, 384000, 0.66, 1.98, 0.022, 0.66],
  'moonshot': ['kimi-k3', 'Kimi K3', 1, 'lhx', 1048576, 131072, 3, 15, 0.3, 3],
  'zai': ['glm-5.3', 'GLM-5.3', 0, 'oh', 1000000, 131072, 1.4, 4.4, 0.26, 1.4],
  'mistral': ['mistral-medium-3-5', 'Mistral Medium 3.5', 1, 'oh', 262144, 65536, 1.5, 7.5, 0.15, 1.5],
  'minimax': ['MiniMax-M3', 'MiniMax M3', 0, 'h', 1000000, 131072, 0.3, 1.2, 0.06, 0.3],
  'fireworks': ['accounts/fireworks/models/kimi-k3', 'Kimi K3', 1, 'lh', 1040000, 131072, 3, 15, 0.3, 3],
  'together': ['zai-org/GLM-5', 'GLM-5', 0, 'oh', 202752, 98304, 1, 3.2, 1, 1],
  'groq': ['openai/gpt-oss-120b', 'gpt-oss-120b', 0, 'lmh', 131072, 32768, 0.15, 0.6, 0.075, 0.15],
  'cerebras': ['gpt-oss-120b', 'GPT-OSS 120B', 0, 'lmh', 131072, 32768, 0.35, 0.75, 0.35, 0.35],
};
