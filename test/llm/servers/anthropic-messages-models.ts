// What each model of the loopback provider accepts, from the provider's documentation. Independent of src on purpose.

export interface ServedModel {
  maxTokens: number;
  /** Values of `thinking.type`. Leaving the field out is always accepted. */
  thinking: readonly string[];
  efforts: readonly string[];
  /** Thinking is valid only after the same messages as when it was created. */
  bindsThinking?: true;
}

const UP_TO_HIGH = ['low', 'medium', 'high'];
const ALL = [...UP_TO_HIGH, 'xhigh', 'max'];

export const SERVED: Readonly<Record<string, ServedModel>> = {
  'claude-3-7-sonnet-20250219': { maxTokens: 64_000, thinking: ['enabled', 'disabled'], efforts: [] },
  'claude-sonnet-4-20250514': { maxTokens: 64_000, thinking: ['enabled', 'disabled'], efforts: [] },
  'claude-opus-4-1': { maxTokens: 32_000, thinking: ['enabled', 'disabled'], efforts: [] },
  'claude-sonnet-4-5': { maxTokens: 64_000, thinking: ['enabled', 'disabled'], efforts: [] },
  'claude-haiku-4-5-20251001': { maxTokens: 64_000, thinking: ['enabled', 'disabled'], efforts: [] },
  'claude-opus-4-5-20251101': { maxTokens: 64_000, thinking: ['enabled', 'disabled'], efforts: UP_TO_HIGH },
  'claude-opus-4-6': {
    maxTokens: 128_000,
    thinking: ['adaptive', 'enabled', 'disabled'],
    efforts: [...UP_TO_HIGH, 'max'],
  },
  'claude-sonnet-4-6': {
    maxTokens: 64_000,
    thinking: ['adaptive', 'enabled', 'disabled'],
    efforts: [...UP_TO_HIGH, 'max'],
  },
  'claude-opus-4-8': { maxTokens: 128_000, thinking: ['adaptive'], efforts: ALL },
  'claude-mythos-preview': { maxTokens: 128_000, thinking: ['adaptive'], efforts: [...UP_TO_HIGH, 'max'] },
  'claude-fable-5': { maxTokens: 128_000, thinking: ['adaptive'], efforts: ALL },
  'claude-sonnet-5': { maxTokens: 128_000, thinking: ['adaptive', 'disabled'], efforts: ALL },
  'claude-opus-5': { maxTokens: 128_000, thinking: ['adaptive', 'disabled'], efforts: ALL },
  'claude-fable-5-1': { maxTokens: 128_000, thinking: ['adaptive'], efforts: ALL, bindsThinking: true },
  'claude-opus-5-5': { maxTokens: 128_000, thinking: ['adaptive'], efforts: ALL, bindsThinking: true },
  'claude-sonnet-5-5': {
    maxTokens: 128_000,
    thinking: ['adaptive', 'between_tools'],
    efforts: ALL,
    bindsThinking: true,
  },
  'claude-haiku-5-5': { maxTokens: 128_000, thinking: ['adaptive', 'disabled'], efforts: ALL, bindsThinking: true },
};
