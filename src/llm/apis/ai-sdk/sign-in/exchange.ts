// First floor, llm: one short question to a keeper of keys, and how long what it gave is good. Knows no cloud.
import { Fault, messageOf } from '../../../../base/index.ts';
import { redact } from '../../../../base/redaction.ts';
import type { Clock } from '../../../../contracts/index.ts';
import { httpFailure, ProviderFault } from '../../../http/failure.ts';
import { bounded } from '../../../http/post.ts';

export interface KeeperPorts {
  fetch: typeof fetch;
  clock: Pick<Clock, 'after' | 'now'>;
}

export interface Keeper {
  /** As people know it. */
  readonly name: string;
  /** What is asked for: a token, keys. */
  readonly gift: string;
  /** Never shown. */
  readonly secrets: readonly string[];
}

export interface Good<T> {
  readonly value: T;
  /** Milliseconds; for ever without it. */
  readonly expires?: number | undefined;
}

const TIMEOUT_MS = 15_000;
/** An answer may take minutes. */
const MARGIN_MS = 5 * 60_000;

/** The text of a good answer. */
export async function exchange(
  { fetch, clock }: KeeperPorts,
  url: string,
  init: RequestInit,
  { name, gift, secrets }: Keeper,
): Promise<string> {
  const aborter = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => aborter.abort());
  try {
    const response = await fetch(url, { ...init, signal: aborter.signal, redirect: 'error' });
    const said = await bounded(response);
    if (response.ok) return said;
    const { failure, message } = httpFailure(response.status, response.headers, said, secrets);
    // What is not accepted stays so; a server that is busy does not.
    const lasting = response.status < 500 && response.status !== 429;
    const sentence = `${name} gave no ${gift}: ${message}`;
    throw new ProviderFault(lasting ? { kind: 'auth', status: response.status } : failure, sentence);
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    const late = aborter.signal.aborted;
    const reason = late ? `nothing within ${TIMEOUT_MS / 1000} seconds` : redact(messageOf(thrown), secrets);
    const sentence = `No ${gift} for ${name} from ${new URL(url).host}: ${reason}`;
    throw new ProviderFault({ kind: late ? 'timeout' : 'network' }, sentence, thrown);
  } finally {
    cancel();
  }
}

/** What a keeper wrote as JSON; nothing where it is none. */
export function fieldsIn(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** One question at a time; everybody who comes meanwhile gets what it brings. What is for another owner is asked for anew. */
export function keeping<T>(clock: Pick<Clock, 'now'>): (owner: unknown, ask: () => Promise<Good<T>>) => Promise<T> {
  let held: { owner: unknown; until: number; value: Promise<T> } | undefined;
  return (owner, ask) => {
    if (held && held.owner === owner && held.until > clock.now()) return held.value;
    const asking = ask();
    const fresh = { owner, until: Number.POSITIVE_INFINITY, value: asking.then(({ value }) => value) };
    held = fresh;
    asking.then(
      ({ expires = Number.POSITIVE_INFINITY }) => {
        fresh.until = expires - MARGIN_MS;
      },
      () => {
        if (held === fresh) held = undefined;
      },
    );
    return fresh.value;
  };
}
