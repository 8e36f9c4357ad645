// What the matrix asks of every model API: the same stories, told in its own frames. A story that a format cannot tell says why.
import type { ApiRequest, ModelApi } from '../../../src/contracts/index.ts';
import type { Failure, Model } from '../../../src/protocol/index.ts';
import type { FakeClock } from '../../../src/testing/fake-clock.ts';

type Fields = Record<string, unknown>;

/** What the loopback servers have in common, as far as the matrix goes. */
export interface AnyServer {
  readonly received: readonly { path: string; headers: Record<string, string | undefined>; body: Fields }[];
  reply(...replies: never[]): void;
  next(): Promise<unknown>;
}

export interface Story {
  /** As the server takes it. */
  reply: object;
  /** Where the format has many hosts: the one that does this. */
  model?: Partial<Model>;
}

export const ANSWERS = [
  'plain text',
  'long text',
  'parallel calls',
  'thinking',
  'redacted thinking',
  'cache usage',
  'length',
  'refusal',
  'empty answer',
] as const;
export type Answer = (typeof ANSWERS)[number];

export const REFUSALS = [
  'overloaded',
  'rate limit',
  '5xx',
  'auth',
  'quota',
  'context overflow',
  'content filter',
] as const;
export type Refused = (typeof REFUSALS)[number];

export const SPOILT = ['unpaired call', 'wrong role order', 'missing signature', 'unknown field'] as const;
export type Spoilt = (typeof SPOILT)[number];

export interface Speaker {
  readonly name: string;
  /** Looked at when the servers have started. */
  at(): {
    api: ModelApi;
    clock: FakeClock;
    server: AnyServer;
    origin: string;
    request(other?: Partial<ApiRequest>): ApiRequest;
  };
  /** Never in any text. */
  readonly secret: string;
  /** A text is why the format has no such thing. */
  readonly answers: Readonly<Record<Answer, Story | string>>;
  /** What a refusal is here: an answer in words, or a failure. */
  readonly refusalIs: 'stop' | Failure['kind'];
  readonly refusals: Readonly<Record<Refused, { status: number; body: string }>>;
  /** A stream with an event that cannot be read. */
  readonly garbage: readonly (string | Uint8Array)[];
  /** Spoils a good body, whose second message holds thinking (if any) and two calls, and whose third their results. */
  readonly spoil: Readonly<Record<Spoilt, ((body: Fields) => unknown) | string>>;
}

export const WORDS = Array.from({ length: 2000 }, (_, n) => `wörd${n} `);
export const HELLO = ['Hello', ', ', 'wörld 🎉'];
