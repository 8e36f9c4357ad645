// The store's dictionary: entries of other programs and older versions, in the words of version 3. Pure.
import { isRecord, ownValue } from '../base/json.ts';
import type { SessionEntry } from '../protocol/entry.ts';

type Raw = Record<string, unknown> & { type: string; id: string };

/** `undefined` when it lacks something that nobody could do without. Kinds that nobody here knows are kept as they are. */
export function inOurSpelling(raw: Raw): SessionEntry | undefined {
  const placed = typeof raw.parentId === 'string' ? raw : { ...raw, parentId: null };
  const spell = ownValue(SPELLINGS, raw.type);
  return (spell ? spell(placed) : placed) as SessionEntry | undefined;
}

/** For each kind that has more than one spelling, or without which a conversation cannot be read. */
const SPELLINGS: Readonly<Record<string, (raw: Raw) => Raw | undefined>> = {
  message(raw) {
    const { message } = raw;
    if (!isRecord(message) || typeof message.role !== 'string') return undefined;
    if (message.role === 'hookMessage') return { ...raw, message: { ...message, role: 'custom' } };
    return SPOKEN.has(message.role) && !isContent(message.content) ? undefined : raw;
  },
  custom_message: (raw) => (isContent(raw.content) ? raw : undefined),
  compaction(raw) {
    if (typeof raw.summary !== 'string') return undefined;
    // One that names nothing kept nothing: what counts begins with the summary itself.
    const firstKeptEntryId = typeof raw.firstKeptEntryId === 'string' ? raw.firstKeptEntryId : raw.id;
    return { ...raw, firstKeptEntryId, tokensBefore: typeof raw.tokensBefore === 'number' ? raw.tokensBefore : 0 };
  },
  branch_summary: (raw) => (typeof raw.summary === 'string' ? raw : undefined),
  model_change(raw) {
    if (typeof raw.provider === 'string' && typeof raw.modelId === 'string') return raw;
    const [provider, modelId] = inTwo(raw.model);
    if (provider === undefined || modelId === undefined) return undefined;
    // oh-my-pi keeps a model per role; only the default one is what the conversation goes on with.
    if (raw.role !== undefined && raw.role !== 'default') return asCustom(raw);
    return { ...raw, provider, modelId };
  },
};

const SPOKEN = new Set(['user', 'assistant', 'toolResult', 'custom']);

function isContent(content: unknown): boolean {
  return typeof content === 'string' || Array.isArray(content);
}

function inTwo(model: unknown): [string?, string?] {
  const at = typeof model === 'string' ? model.indexOf('/') : -1;
  return at > 0 ? [(model as string).slice(0, at), (model as string).slice(at + 1)] : [];
}

function asCustom({ type, id, parentId, timestamp, ...data }: Raw): Raw {
  return { type: 'custom', id, parentId, timestamp, customType: `omp.${type}`, data };
}
