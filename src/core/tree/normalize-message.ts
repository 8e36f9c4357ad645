// Replaces missing or invalid fields of a message from a log. Other programs write such logs too. Pure.
import { is } from 'valibot';
import { isRecord } from '../../base/index.ts';
import { type AgentMessage, createEmptyUsage, stopReason, type Usage } from '../../protocol/index.ts';

type Raw = Record<string, unknown>;

/** Returns the same object if it is valid; `undefined` if the message cannot be interpreted. */
export function normalizeMessage(message: AgentMessage): AgentMessage | undefined {
  const raw: Raw = message;
  const fields = (FIELD_NORMALIZERS.get(message.role) ?? normalizeUnknownRole)(raw);
  if (!fields) return undefined;
  const normalized: Raw = { ...fields, timestamp: isFiniteNumber(raw.timestamp) ? raw.timestamp : 0 };
  const changed = Object.keys(normalized).some((key) => normalized[key] !== raw[key]);
  return changed ? ({ ...raw, ...normalized } as AgentMessage) : message;
}

/** For each role, the fields that other code uses without a check. Valid values stay, invalid ones get a default. */
const FIELD_NORMALIZERS = new Map<string, (raw: Raw) => Raw | undefined>(
  Object.entries({
    user: ({ content }) => ({ content: normalizeUserContent(content) }),
    assistant: (raw) => ({
      content: normalizeBlocks(raw.content, isAnswerBlock),
      api: toText(raw.api),
      provider: toText(raw.provider),
      model: toText(raw.model),
      usage: normalizeUsage(raw.usage),
      stopReason: is(stopReason, raw.stopReason) ? raw.stopReason : 'stop',
      ...(raw.errorMessage === undefined ? {} : { errorMessage: toText(raw.errorMessage) }),
    }),
    toolResult: (raw) => ({
      toolCallId: toText(raw.toolCallId),
      toolName: toText(raw.toolName),
      content: normalizeBlocks(raw.content, isUserBlock),
      isError: raw.isError === true,
    }),
    bashExecution: (raw) => ({
      command: toText(raw.command),
      output: toText(raw.output),
      cancelled: raw.cancelled === true,
      truncated: raw.truncated === true,
    }),
    custom: ({ customType, content, display }) => ({
      customType: toText(customType),
      content: normalizeUserContent(content),
      display: display !== false,
    }),
    compactionSummary: ({ summary }) => (typeof summary === 'string' ? { summary } : undefined),
    branchSummary: ({ summary }) => (typeof summary === 'string' ? { summary } : undefined),
  }),
);

/** An unknown role with content becomes a custom message. */
function normalizeUnknownRole({ role, content }: Raw): Raw | undefined {
  if (typeof content !== 'string' && !Array.isArray(content)) return undefined;
  return { role: 'custom', customType: toText(role), content: normalizeUserContent(content), display: true };
}

function normalizeUserContent(content: unknown): unknown {
  return typeof content === 'string' ? content : normalizeBlocks(content, isUserBlock);
}

/** Returns the same array if every block is valid. */
function normalizeBlocks(content: unknown, isValid: (block: Raw) => boolean): unknown {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  const isValidBlock = (block: unknown) => isRecord(block) && isValid(block);
  return content.every(isValidBlock) ? content : content.filter(isValidBlock);
}

function isUserBlock(block: Raw): boolean {
  if (block.type === 'text') return typeof block.text === 'string';
  if (block.type !== 'image') return false;
  if (isRecord(block.source)) return typeof block.source.url === 'string';
  return typeof block.data === 'string' && typeof block.mimeType === 'string';
}

function isAnswerBlock(block: Raw): boolean {
  if (block.type === 'text') return typeof block.text === 'string';
  if (block.type === 'thinking') return typeof block.thinking === 'string';
  const isCall = block.type === 'toolCall' && isRecord(block.arguments);
  return isCall && typeof block.id === 'string' && typeof block.name === 'string';
}

function normalizeUsage(value: unknown): unknown {
  if (isRecord(value) && USAGE_COUNTERS.every((key) => isFiniteNumber(value[key])) && isRecord(value.cost)) {
    if (isFiniteNumber(value.cost.total)) return value;
  }
  const { cost, ...counts } = isRecord(value) ? value : {};
  const none = createEmptyUsage();
  return { ...pickNumbers(counts, none), cost: pickNumbers(isRecord(cost) ? cost : {}, none.cost) };
}

const USAGE_COUNTERS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const satisfies (keyof Usage)[];

function pickNumbers<T extends object>(values: Raw, defaults: T): T {
  const known = Object.keys(defaults).filter((key) => isFiniteNumber(values[key]));
  return { ...defaults, ...Object.fromEntries(known.map((key) => [key, values[key]])) };
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
