// Interface of the matrix: the scenarios that every model API runs with the frames of its provider. A text explains an unsupported one.
import type { ApiRequest, ModelApi } from '../../../src/contracts/index.ts';
import type { Model, ProviderFailure } from '../../../src/protocol/index.ts';
import type { FakeClock } from '../../../src/testing/fake-clock.ts';

type Fields = Record<string, unknown>;

/** The part of the loopback servers that the matrix uses. */
export interface AnyServer {
  readonly received: readonly { path: string; headers: Record<string, string | undefined>; body: Fields }[];
  reply(...replies: never[]): void;
  next(): Promise<unknown>;
}

export interface Scenario {
  /** A reply of the server's own type. */
  reply: object;
  /** For formats with many providers: the one that supports this. */
  model?: Partial<Model>;
}

export const REPLY_SCENARIOS = [
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
export type ReplyScenario = (typeof REPLY_SCENARIOS)[number];

export const ERROR_SCENARIOS = [
  'overloaded',
  'rate limit',
  '5xx',
  'auth',
  'quota',
  'context overflow',
  'content filter',
] as const;
export type ErrorScenario = (typeof ERROR_SCENARIOS)[number];

export const INVALID_REQUESTS = ['unpaired call', 'wrong role order', 'missing signature', 'unknown field'] as const;
export type InvalidRequest = (typeof INVALID_REQUESTS)[number];

export interface ApiFixture {
  readonly name: string;
  /** Called after the servers have started. */
  getFixture(): {
    api: ModelApi;
    clock: FakeClock;
    server: AnyServer;
    origin: string;
    request(overrides?: Partial<ApiRequest>): ApiRequest;
  };
  /** Must not appear in any text. */
  readonly secret: string;
  /** A string explains why the format does not support the scenario. */
  readonly answers: Readonly<Record<ReplyScenario, Scenario | string>>;
  /** How a refusal of the model ends: as a normal reply or as a failure. */
  readonly refusalOutcome: 'stop' | ProviderFailure['kind'];
  readonly refusals: Readonly<Record<ErrorScenario, { status: number; body: string }>>;
  /** A stream with an unreadable event. */
  readonly garbage: readonly (string | Uint8Array)[];
  /** Makes a valid body invalid. Its second message contains thinking (if any) and two calls, the third their results. */
  readonly mutations: Readonly<Record<InvalidRequest, ((body: Fields) => unknown) | string>>;
}

export const WORDS = Array.from({ length: 2000 }, (_, n) => `wörd${n} `);
export const HELLO = ['Hello', ', ', 'wörld 🎉'];
