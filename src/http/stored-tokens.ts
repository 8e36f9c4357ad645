// The tokens that all nodes of a fleet share. They are looked up in the database, and remembered for a short time.
import type { Clock } from '../contracts/index.ts';
import { digestText } from '../support/digest.ts';
import type { TokenOwner } from './token-owner.ts';

export interface TokenStore {
  /** By the SHA-256 digest of the token, in hexadecimal digits. */
  find(digest: string): Promise<TokenOwner | undefined>;
}

/** A token that was removed is refused after this time at the latest, also when the notification was lost. */
const KEEP_MS = 5000;
const MAX_REMEMBERED = 1000;

export class StoredTokens {
  readonly #store: TokenStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, { readonly owner: TokenOwner; readonly untilMs: number }>();
  /** Changes when tokens were removed: what was being looked up then is not remembered. */
  #version = 0;

  constructor(store: TokenStore, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Only tokens that were loaded before. */
  find(token: string): TokenOwner | undefined {
    const known = this.#known.get(getDigest(token));
    return known && this.#clock.now() < known.untilMs ? known.owner : undefined;
  }

  /** Rejects when the database cannot be reached. */
  async load(token: string): Promise<void> {
    if (this.find(token)) return;
    const digest = getDigest(token);
    const version = this.#version;
    const owner = await this.#store.find(digest);
    this.#known.delete(digest);
    if (!owner || version !== this.#version) return;
    this.#known.set(digest, { owner, untilMs: this.#clock.now() + KEEP_MS });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Tokens were removed. */
  clear(): void {
    this.#version += 1;
    this.#known.clear();
  }
}

function getDigest(token: string): string {
  return digestText(token).toString('hex');
}
