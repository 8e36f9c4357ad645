// First floor, core: a message out of a log, as the rest of the house expects one. Other programs write logs too. Pure.
import { is } from 'valibot';
import { isRecord } from '../../base/index.ts';
import { type AgentMessage, noUsage, stopReason, type Usage } from '../../protocol/index.ts';

type Raw = Record<string, unknown>;

/** The same object when nothing is wrong with it; `undefined` when nobody could say what it is. */
export function soundMessage(message: AgentMessage): AgentMessage | undefined {
  const raw: Raw = message;
  const shape = (SHAPES.get(message.role) ?? stranger)(raw);
  if (!shape) return undefined;
  const sound: Raw = { ...shape, timestamp: isCount(raw.timestamp) ? raw.timestamp : 0 };
  const changed = Object.keys(sound).some((key) => sound[key] !== raw[key]);
  return changed ? ({ ...raw, ...sound } as AgentMessage) : message;
}

/** For each role, the fields that others read without looking; each as it is, or with what can stand for it. */
const SHAPES = new Map<string, (raw: Raw) => Raw | undefined>(
  Object.entries({
    user: ({ content }) => ({ content: userContent(content) }),
    assistant: (raw) => ({
      content: blocks(raw.content, isAnswerBlock),
      api: text(raw.api),
      provider: text(raw.provider),
      model: text(raw.model),
      usage: usage(raw.usage),
      stopReason: is(stopReason, raw.stopReason) ? raw.stopReason : 'stop',
      ...(raw.errorMessage === undefined ? {} : { errorMessage: text(raw.errorMessage) }),
    }),
    toolResult: (raw) => ({
      toolCallId: text(raw.toolCallId),
      toolName: text(raw.toolName),
      content: blocks(raw.content, isUserBlock),
      isError: raw.isError === true,
    }),
    bashExecution: (raw) => ({
      command: text(raw.command),
      output: text(raw.output),
      cancelled: raw.cancelled === true,
      truncated: raw.truncated === true,
    }),
    custom: ({ customType, content, display }) => ({
      customType: text(customType),
      content: userContent(content),
      display: display !== false,
    }),
    compactionSummary: ({ summary }) => (typeof summary === 'string' ? { summary } : undefined),
    branchSummary: ({ summary }) => (typeof summary === 'string' ? { summary } : undefined),
  }),
);

/** A kind of message that nobody here knows, but which says something. */
function stranger({ role, content }: Raw): Raw | undefined {
  if (typeof content !== 'string' && !Array.isArray(content)) return undefined;
  return { role: 'custom', customType: text(role), content: userContent(content), display: true };
}

function userContent(content: unknown): unknown {
  return typeof content === 'string' ? content : blocks(content, isUserBlock);
}

/** The list itself when every block is sound. */
function blocks(content: unknown, isSound: (block: Raw) => boolean): unknown {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  const fits = (block: unknown) => isRecord(block) && isSound(block);
  return content.every(fits) ? content : content.filter(fits);
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

function usage(given: unknown): unknown {
  if (isRecord(given) && COUNTS.every((key) => isCount(given[key])) && isRecord(given.cost)) {
    if (isCount(given.cost.total)) return given;
  }
  const { cost, ...counts } = isRecord(given) ? given : {};
  const none = noUsage();
  return { ...counted(counts, none), cost: counted(isRecord(cost) ? cost : {}, none.cost) };
}

const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const satisfies (keyof Usage)[];

function counted<T extends object>(given: Raw, none: T): T {
  const known = Object.keys(none).filter((key) => isCount(given[key]));
  return { ...none, ...Object.fromEntries(known.map((key) => [key, given[key]])) };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
