// Converts entries of other programs and older versions to the fields of version 3.
import { getOwnValue, isRecord } from '../base/json.ts';
import type { SessionEntry } from '../protocol/session-entry.ts';

type RawEntry = Record<string, unknown> & { type: string; id: string };

/** Returns `undefined` when a required field is missing. Unknown types are kept unchanged. */
export function normalizeEntry(raw: RawEntry): SessionEntry | undefined {
  const withParent = typeof raw.parentId === 'string' ? raw : { ...raw, parentId: null };
  const normalize = getOwnValue(NORMALIZERS, raw.type);
  return (normalize ? normalize(withParent) : withParent) as SessionEntry | undefined;
}

/** For each type that has several formats or required fields. */
const NORMALIZERS: Readonly<Record<string, (raw: RawEntry) => RawEntry | undefined>> = {
  message(raw) {
    const { message } = raw;
    if (!isRecord(message) || typeof message.role !== 'string') return undefined;
    if (message.role === 'hookMessage') return { ...raw, message: { ...message, role: 'custom' } };
    return CONTENT_ROLES.has(message.role) && !isContent(message.content) ? undefined : raw;
  },
  custom_message: (raw) => (isContent(raw.content) ? raw : undefined),
  compaction(raw) {
    if (typeof raw.summary !== 'string') return undefined;
    // Without this field nothing before the compaction is kept, so the kept part starts with the compaction itself.
    const firstKeptEntryId = typeof raw.firstKeptEntryId === 'string' ? raw.firstKeptEntryId : raw.id;
    return { ...raw, firstKeptEntryId, tokensBefore: typeof raw.tokensBefore === 'number' ? raw.tokensBefore : 0 };
  },
  branch_summary: (raw) => (typeof raw.summary === 'string' ? raw : undefined),
  model_change(raw) {
    if (typeof raw.provider === 'string' && typeof raw.modelId === 'string') return raw;
    const [provider, modelId] = splitModelReference(raw.model);
    if (provider === undefined || modelId === undefined) return undefined;
    // oh-my-pi stores a model per role. Only the default role sets the model of the conversation.
    if (raw.role !== undefined && raw.role !== 'default') return toCustomEntry(raw);
    return { ...raw, provider, modelId };
  },
};

const CONTENT_ROLES = new Set(['user', 'assistant', 'toolResult', 'custom']);

function isContent(content: unknown): boolean {
  return typeof content === 'string' || Array.isArray(content);
}

function splitModelReference(model: unknown): [string?, string?] {
  const at = typeof model === 'string' ? model.indexOf('/') : -1;
  return at > 0 ? [(model as string).slice(0, at), (model as string).slice(at + 1)] : [];
}

function toCustomEntry({ type, id, parentId, timestamp, ...data }: RawEntry): RawEntry {
  return { type: 'custom', id, parentId, timestamp, customType: `omp.${type}`, data };
}
