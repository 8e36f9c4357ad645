// First floor, dialects: calls and responses as the whole omp and pi family spells them. Knows no command's meaning.
import { safeParse } from 'valibot';
import { Fault, isRecord, kindOf, type Line, messageOf } from '../base/index.ts';
import type { CallToken, Incoming } from '../contracts/index.ts';
import { type HostToolNews, uiAnswer } from '../protocol/index.ts';

/** The command that a wire name stands for; `undefined` when the dialect has no such word. */
export type CommandNamed = (method: string) => string | undefined;

export function decodeCall(line: Line, commandNamed: CommandNamed): Incoming {
  const frame = readObject(line);
  if (frame instanceof Fault) return { kind: 'refused', token: { name: 'parse' }, fault: frame };
  const { type, id } = frame;
  const usable = id === undefined || isUsableId(id);
  const token = (name: string): CallToken => ({ name, ...(usable && id !== undefined ? { id } : {}) });
  if (typeof type !== 'string') {
    const fault = new Fault('unknown_command', `Unknown command: type must be a string (got ${kindOf(type)})`);
    return { kind: 'refused', token: token('unknown'), fault };
  }
  if (type === 'extension_ui_response') return decodeAnswer(frame);
  if (type === 'host_tool_update' || type === 'host_tool_result') return decodeNews(frame);
  if (!usable) {
    const fault = new Fault('invalid_id', `id must be a string or a number (got ${describeId(id)})`);
    return { kind: 'refused', token: token(type), fault };
  }
  const command = commandNamed(type);
  if (command !== undefined) return { kind: 'call', token: token(type), command, params: frame };
  return { kind: 'refused', token: token(type), fault: new Fault('unknown_command', `Unknown command: ${type}`) };
}

/** The object on a line, or why there is none. */
export function readObject(line: Line): Record<string, unknown> | Fault {
  if ('problem' in line) return unreadable(line.problem);
  try {
    const frame: unknown = JSON.parse(line.text);
    return isRecord(frame) ? frame : unreadable(`expected a JSON object (got ${kindOf(frame)})`);
  } catch (thrown) {
    return unreadable(messageOf(thrown));
  }
}

function unreadable(reason: string): Fault {
  return new Fault('parse', `Failed to parse command: ${reason}`);
}

/** An answer gets no reply, so one that says nothing usable is dropped. */
function decodeAnswer(frame: Record<string, unknown>): Incoming {
  const answer = safeParse(uiAnswer, frame);
  if (!answer.success || typeof frame.id !== 'string') return { kind: 'nothing' };
  return { kind: 'answer', id: frame.id, answer: answer.output };
}

/** News get no reply either. What they say is looked at by whoever waits for them. */
function decodeNews(frame: Record<string, unknown>): Incoming {
  if (typeof frame.id !== 'string') return { kind: 'nothing' };
  return { kind: 'hosted', news: frame as HostToolNews };
}

/** A number that JSON cannot give back digit for digit would be echoed as another id. */
function isUsableId(id: unknown): boolean {
  if (typeof id === 'number') return Number.isFinite(id) && (!Number.isInteger(id) || Number.isSafeInteger(id));
  return typeof id === 'string';
}

function describeId(id: unknown): string {
  return typeof id === 'number' ? 'a number too large to echo' : kindOf(id);
}

/** `undefined` members vanish in JSON: no id when none was sent, no data where the command has none. */
export function response(token: CallToken, outcome: Record<string, unknown>): Record<string, unknown> {
  return { id: token.id, type: 'response', command: token.name, ...outcome };
}

/** Hosts of pi fork where others branch, and are told so. A reason is for programs, which read no sentences. */
export function failure({ name }: CallToken, { message, details }: Fault): Record<string, unknown> {
  const error = name === 'fork' ? message.replace('for branching', 'for forking') : message;
  return { success: false, error, code: isRecord(details) ? details.reason : undefined };
}
