// Error class and helpers of the Messages API checks.
import { createHash } from 'node:crypto';
import { type Fields, Refusal as LoopbackRefusal } from './loopback.ts';

export type { Fields } from './loopback.ts';

export class Refusal extends LoopbackRefusal {
  constructor(message: string, type = 'invalid_request_error', status = 400) {
    super(status, errorBody(type, message), {}, message);
  }
}

export function errorBody(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_011Loopback' });
}

export function assertKnownKeys(value: unknown, keys: readonly string[], where: string): void {
  if (typeof value !== 'object' || value === null) throw new Refusal(`${where}: Input should be an object`);
  for (const key of Object.keys(value))
    if (!keys.includes(key)) throw new Refusal(`${where}${key}: Extra inputs are not permitted`);
}

/** Hash of the messages before a block, without cache markers, which may move. */
export function hashPrefix(body: Fields, messages: readonly unknown[]): string {
  const text = JSON.stringify([body.system, body.tools, messages], (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return createHash('sha256').update(text).digest('base64');
}
