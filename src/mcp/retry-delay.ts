// How long to wait before the next attempt to connect.
import { fnv1a } from '../base/fnv1a.ts';
import type { IdGenerator } from '../contracts/index.ts';

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;

/** Doubles with each attempt. Between half of the delay and all of it, so that several sessions do not connect at the same time. */
export function getRetryDelay(failedAttempts: number, ids: IdGenerator): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, failedAttempts - 1));
  return delay / 2 + (delay / 2) * (fnv1a(ids.uuid()) / 2 ** 32);
}
