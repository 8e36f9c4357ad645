// Decodes calls and builds responses in the frame format that the omp and pi dialects share.
import { safeParse } from 'valibot';
import { describeType, Fault, getErrorMessage, isRecord, type Line } from '../base/index.ts';
import type { CallToken, DecodedLine } from '../contracts/index.ts';
import { type HostResponseFrame, uiAnswer } from '../protocol/index.ts';

/** Maps a wire name to a command name. Returns `undefined` when the dialect does not define the name. */
export type CommandLookup = (method: string) => string | undefined;

export function decodeCall(line: Line, lookUpCommand: CommandLookup): DecodedLine {
  const frame = parseJsonObject(line);
  if (frame instanceof Fault) return { kind: 'refused', token: { name: 'parse' }, fault: frame };
  const { id, ...params } = frame;
  const { type } = params;
  const hasUsableId = id === undefined || isUsableId(id);
  const createToken = (name: string): CallToken => ({ name, ...(hasUsableId && id !== undefined ? { id } : {}) });
  if (typeof type !== 'string') {
    const fault = new Fault('unknown_command', `Unknown command: type must be a string (got ${describeType(type)})`);
    return { kind: 'refused', token: createToken('unknown'), fault };
  }
  if (type === 'extension_ui_response') return decodeUiAnswer(frame);
  if (HOST_RESPONSES.has(type)) return decodeHostResponse(frame);
  if (!hasUsableId) {
    const fault = new Fault('invalid_id', `id must be a string or a number (got ${describeId(id)})`);
    return { kind: 'refused', token: createToken(type), fault };
  }
  const command = lookUpCommand(type);
  // Its `id` is that of the call, also for commands that have a parameter of this name.
  if (command !== undefined) return { kind: 'call', token: createToken(type), command, params };
  return { kind: 'refused', token: createToken(type), fault: new Fault('unknown_command', `Unknown command: ${type}`) };
}

/** Parses a line as a JSON object. Returns a `parse` fault when it is not one. */
export function parseJsonObject(line: Line): Record<string, unknown> | Fault {
  if ('problem' in line) return createParseFault(line.problem);
  try {
    const frame: unknown = JSON.parse(line.text);
    return isRecord(frame) ? frame : createParseFault(`expected a JSON object (got ${describeType(frame)})`);
  } catch (thrown) {
    return createParseFault(getErrorMessage(thrown));
  }
}

function createParseFault(reason: string): Fault {
  return new Fault('parse', `Failed to parse command: ${reason}`);
}

/** UI answers get no reply, so an invalid answer is ignored. */
function decodeUiAnswer(frame: Record<string, unknown>): DecodedLine {
  const answer = safeParse(uiAnswer, frame);
  if (!answer.success || typeof frame.id !== 'string') return { kind: 'ignored' };
  return { kind: 'answer', id: frame.id, answer: answer.output };
}

const HOST_RESPONSES: ReadonlySet<string> = new Set(['host_tool_update', 'host_tool_result', 'host_uri_result']);

/** These frames get no reply. Their content is validated by the pending request. */
function decodeHostResponse(frame: Record<string, unknown>): DecodedLine {
  if (typeof frame.id !== 'string') return { kind: 'ignored' };
  return { kind: 'host_response', frame: frame as HostResponseFrame };
}

/** An integer beyond the safe range would lose digits in JSON.parse, and the reply would have a different id. */
function isUsableId(id: unknown): boolean {
  if (typeof id === 'number') return Number.isFinite(id) && (!Number.isInteger(id) || Number.isSafeInteger(id));
  return typeof id === 'string';
}

function describeId(id: unknown): string {
  return typeof id === 'number' ? 'a number too large to echo' : describeType(id);
}

/** JSON omits `undefined` members: no id when the call had none, no data when the command returns none. */
export function createResponse(token: CallToken, outcome: Record<string, unknown>): Record<string, unknown> {
  return { id: token.id, type: 'response', command: token.name, ...outcome };
}

export function createSuccess(token: CallToken, data: unknown): object {
  return createResponse(token, { success: true, data });
}

/** pi calls branching "fork", so the message says "forking". `code` is the machine-readable reason. */
export function createFailureOutcome({ name }: CallToken, { message, details }: Fault): Record<string, unknown> {
  const error = name === 'fork' ? message.replace('for branching', 'for forking') : message;
  return { success: false, error, code: isRecord(details) ? details.reason : undefined };
}
