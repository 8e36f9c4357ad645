// Limits on what is read from a provider, and the failures that name them. A failure of kind `limit` is not retried.
import { Fault } from '../../base/index.ts';
import type { HttpAnswer } from '../../contracts/index.ts';
import { ProviderFault } from './failure.ts';

const MIB = 1024 * 1024;

/** Characters of one event that is not complete yet. The largest real events, finished answers, have a few million. */
export const MAX_EVENT = 16 * MIB;
/** Bytes of one answer, after decompression. An answer of 128,000 tokens takes about 40 MB. */
export const MAX_ANSWER = 128 * MIB;
/** Bytes of a JSON document: a list of models, a token. */
export const MAX_JSON = 8 * MIB;

export function eventTooLarge(): ProviderFault {
  return overLimit(`The provider sent an event of more than ${inMib(MAX_EVENT)}`);
}

export function answerTooLarge(): ProviderFault {
  return overLimit(`The provider sent an answer of more than ${inMib(MAX_ANSWER)}`);
}

export function idleTooLong(limitMs: number): ProviderFault {
  const limit = `The limit is the setting http.idleTimeoutMs (${limitMs})`;
  return overLimit(`The provider sent no content for ${inSeconds(limitMs)}. ${limit}.`);
}

export function answerTooSlow(limitMs: number): ProviderFault {
  const limit = `The limit is the setting http.totalTimeoutMs (${limitMs})`;
  return overLimit(`The answer took longer than ${inSeconds(limitMs)}. ${limit}.`);
}

/** The parsed body. Throws a Fault when it is larger than the limit, and a SyntaxError when it is not JSON. */
export async function readJson(answer: Pick<HttpAnswer, 'body'>): Promise<unknown> {
  return JSON.parse(await readText(answer));
}

/** The body. Throws a Fault when it is larger than the limit. */
export async function readText({ body }: Pick<HttpAnswer, 'body'>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const bytes of body ?? []) {
    size += bytes.length;
    if (size > MAX_JSON) throw new Fault('refused', `The answer is larger than ${inMib(MAX_JSON)}`);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

function overLimit(message: string): ProviderFault {
  return new ProviderFault({ kind: 'limit' }, message);
}

function inMib(bytes: number): string {
  return `${bytes / MIB} MiB`;
}

function inSeconds(ms: number): string {
  return ms === 1000 ? '1 second' : `${ms / 1000} seconds`;
}
