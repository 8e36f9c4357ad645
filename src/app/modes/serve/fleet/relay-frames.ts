// What nodes send to each other: the opening of a channel, the lines and frames of a client, requests and replies.
import { Fault, type FaultCode, isRecord, type Line, toJson, tryParseJson } from '../../../../base/index.ts';
import type { Chunk } from '../../../../contracts/index.ts';
import type { BackendReply, Caller, ConnectionEnd, ConnectionParams } from '../../../../http/index.ts';
import type { UiAnswer } from '../../../../protocol/index.ts';

/** Sent when a channel is opened. `request`: one message with the request follows. */
export type ChannelOpening =
  | {
      readonly kind: 'client';
      readonly sessionId: string;
      readonly caller: Caller;
      readonly params: ConnectionParams;
    }
  | { readonly kind: 'request'; readonly sessionId: string };

export type RelayedRequest =
  | {
      readonly name: 'call';
      readonly caller: Caller;
      readonly command: string;
      readonly params: unknown;
      readonly sessionId?: string | undefined;
      readonly shouldWait: boolean;
    }
  | { readonly name: 'describe' | 'dialogs' }
  | { readonly name: 'answer'; readonly requestId: string; readonly answer: UiAnswer; readonly caller: Caller }
  | { readonly name: 'export'; readonly branchOnly: boolean };

/** How a channel is closed by the node that answers. `absent`: that node does not have the session, and has done nothing. */
export type RelayedEnd =
  | { readonly status: 'done' | 'absent' }
  | ({ readonly status: 'ended' } & ConnectionEnd)
  | { readonly status: 'refused'; readonly fault: WireFault };

interface WireFault {
  readonly code: FaultCode;
  readonly message: string;
  readonly details?: unknown;
}

export function encodeJson(value: object): Buffer {
  return Buffer.from(toJson(value));
}

export function decodeOpening(bytes: Buffer): ChannelOpening | undefined {
  const value = tryParseJson(bytes.toString());
  const isKnown = isRecord(value) && (value.kind === 'client' || value.kind === 'request');
  return isKnown ? (value as unknown as ChannelOpening) : undefined;
}

export function decodeEnd(bytes: Buffer): RelayedEnd {
  const value = tryParseJson(bytes.toString());
  // The other node has closed all of its channels, because it ends.
  return isRecord(value) ? (value as unknown as RelayedEnd) : { status: 'absent' };
}

export function toWireFault({ code, message, details }: Fault): WireFault {
  return { code, message, details };
}

export function toLocalFault({ code, message, details }: WireFault): Fault {
  return new Fault(code, message, details === undefined ? {} : { details });
}

const LINE = 0;
const PROBLEM = 1;
const LAST_LINE = 2;
const FRAME = 3;
const OPENED = 4;

export function encodeLine(line: Line | undefined): Buffer {
  if (!line) return Buffer.from([LAST_LINE]);
  return 'text' in line ? addKind(LINE, line.text) : addKind(PROBLEM, line.problem);
}

/** `undefined` after the last line. */
export function decodeLine(message: Buffer): Line | undefined {
  if (message[0] === LAST_LINE) return undefined;
  const text = message.subarray(1).toString();
  return message[0] === PROBLEM ? { problem: text } : { text };
}

/** The connection is open, and has no frame yet. */
export const OPENED_MESSAGE = Buffer.from([OPENED]);

export function encodeFrame(chunks: readonly Chunk[]): Buffer {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  return Buffer.concat([Buffer.from([FRAME]), ...bytes]);
}

/** `undefined` for a message that is no frame. */
export function decodeFrame(message: Buffer): Buffer | undefined {
  return message[0] === FRAME ? message.subarray(1) : undefined;
}

type WireReply = Exclude<BackendReply, { status: 'failed' }> | { readonly status: 'failed'; readonly fault: WireFault };

export function encodeReply(reply: BackendReply): WireReply {
  return reply.status === 'failed' ? { ...reply, fault: toWireFault(reply.fault) } : reply;
}

export function decodeReply(reply: WireReply): BackendReply {
  return reply.status === 'failed' ? { ...reply, fault: toLocalFault(reply.fault) } : reply;
}

function addKind(kind: number, text: string): Buffer {
  const message = Buffer.allocUnsafe(1 + Buffer.byteLength(text));
  message[0] = kind;
  message.write(text, 1);
  return message;
}
