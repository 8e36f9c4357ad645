// Writes frames as calls of the HTTP API, and as a transcript of the test format. Pure.
import type { LoggedFrame } from './frame-log.ts';

interface Address {
  /** Such as `http://127.0.0.1:7420`. */
  readonly origin: string;
  readonly sessionId: string;
}

type Json = Record<string, unknown>;

/** The token is not part of the text: it is read from a variable. */
const AUTHORIZATION = '-H "Authorization: Bearer $PARLEY_TOKEN"';

/** A shell command with the same effect as a sent frame, or one that shows a received event. */
export function toCurl({ direction, text }: Pick<LoggedFrame, 'direction' | 'text'>, address: Address): string {
  const { type, id, seq, ...fields } = JSON.parse(text) as Json;
  const base = `${address.origin}/v1/sessions/${encodeURIComponent(address.sessionId)}`;
  if (direction === 'out' && type === 'extension_ui_response') {
    return formatPost(`${base}/dialogs/${encodeURIComponent(String(id))}`, fields);
  }
  if (direction === 'out') return formatPost(`${base}/commands/${encodeURIComponent(String(type))}`, fields);
  if (type === 'response' && typeof fields.command === 'string') {
    return formatPost(`${base}/commands/${encodeURIComponent(fields.command)}`, {});
  }
  const after = typeof seq === 'number' ? `?after=${Math.max(0, seq - 1)}` : '';
  return `curl -sN ${AUTHORIZATION} ${quote(`${base}/events${after}`)}`;
}

function formatPost(url: string, body: Json): string {
  const data =
    Object.keys(body).length === 0 ? '' : ` -H 'Content-Type: application/json' -d ${quote(JSON.stringify(body))}`;
  return `curl -s -X POST ${AUTHORIZATION}${data} ${quote(url)}`;
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Frames that only a server sends. */
const SERVER_FRAMES: readonly unknown[] = [
  'ready',
  'session_attached',
  'session_snapshot',
  'conversation_changed',
  'state_changed',
];

/** Values that differ in every run. */
const VARYING_FIELDS: readonly string[] = [
  ...['timestamp', 'sessionId', 'sessionFile', 'durationMs'],
  ...['textSignature', 'thinkingSignature', 'thoughtSignature'],
];

/**
 * A transcript as in `scenarios/`. The answers of the model become its script, so that the transcript can be run.
 * Updates of messages are left out: the complete messages follow them.
 */
export function toTranscript(frames: readonly LoggedFrame[]): string {
  const parsed = frames.map(({ direction, text }) => ({ direction, frame: JSON.parse(text) as Json }));
  const script = parsed.flatMap(({ direction, frame }) => (direction === 'in' ? describeAnswer(frame) : []));
  const dialogs = new Map<unknown, string>();
  const lines = parsed.flatMap(({ direction, frame }) => {
    if (SERVER_FRAMES.includes(frame.type) || frame.type === 'message_update') return [];
    if (direction === 'out') return [`> ${JSON.stringify(replaceDialogId(frame, dialogs))}`];
    if (frame.type === 'extension_ui_request') dialogs.set(frame.id, `$q${dialogs.size + 1}`);
    return [`<~ ${JSON.stringify(replaceDialogId(clean(frame) as Json, dialogs))}`];
  });
  return ['# Copied from the frames of the page.', ...script, ...lines, ''].join('\n');
}

function replaceDialogId(frame: Json, dialogs: ReadonlyMap<unknown, string>): Json {
  const isDialog = frame.type === 'extension_ui_request' || frame.type === 'extension_ui_response';
  const name = isDialog ? dialogs.get(frame.id) : undefined;
  return name ? { ...frame, id: name } : frame;
}

function describeAnswer(frame: Json): string[] {
  const message = frame.message as Json | undefined;
  if (frame.type !== 'message_end' || message?.role !== 'assistant') return [];
  const blocks = message.content as Json[];
  const join = (type: string, key: string) =>
    blocks
      .filter((block) => block.type === type)
      .map((block) => String(block[key]))
      .join('');
  const thinking = join('thinking', 'thinking');
  const text = join('text', 'text');
  const calls = blocks
    .filter(({ type }) => type === 'toolCall')
    .map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
  const answer = {
    ...(thinking ? { thinking } : {}),
    ...(text ? { text } : {}),
    ...(calls.length > 0 ? { calls } : {}),
    ...(message.errorMessage ? { error: message.errorMessage } : {}),
  };
  return [`model ${JSON.stringify(answer)}`];
}

/** Without the fields of a server and without values that differ in every run. */
function clean(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const left = Object.entries(value).filter(
    ([key]) => !VARYING_FIELDS.includes(key) && !(depth === 0 && ['seq', 'firstSeq', 'client'].includes(key)),
  );
  // The model of the transcript is another one, and it counts no tokens.
  const isMessage = (value as Json).role === 'assistant';
  const kept = isMessage ? left.filter(([key]) => !['api', 'provider', 'model', 'usage'].includes(key)) : left;
  return Object.fromEntries(kept.map(([key, item]) => [key, clean(item, depth + 1)]));
}
