// Codes that log a browser in once. Other users of the machine can read the command line that opens the browser, so it has no token.
import type { Clock, IdGenerator } from '../contracts/index.ts';
import { digestText } from '../support/digest.ts';

/** The browser must open the address within this time. */
const VALID_MS = 120_000;

export class LoginCodes {
  readonly #clock: Clock;
  readonly #ids: IdGenerator;
  /** By the hash, so that the time of the search does not depend on how much of a code is right. */
  readonly #createdMs = new Map<string, number>();

  constructor(clock: Clock, ids: IdGenerator) {
    this.#clock = clock;
    this.#ids = ids;
  }

  create(): string {
    const code = this.#ids.uuid();
    this.#createdMs.set(hashCode(code), this.#clock.now());
    return code;
  }

  /** Returns whether the code is valid. It is not valid a second time. */
  take(code: string): boolean {
    const hash = hashCode(code);
    const createdMs = this.#createdMs.get(hash);
    this.#createdMs.delete(hash);
    return createdMs !== undefined && this.#clock.now() - createdMs < VALID_MS;
  }
}

function hashCode(code: string): string {
  return digestText(code).toString('base64');
}
