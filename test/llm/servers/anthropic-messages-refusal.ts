// How the Messages API says no, and the small words that its checks share.
import { createHash } from 'node:crypto';

export type Fields = Record<string, unknown>;

export class Refusal extends Error {
  readonly status: number;
  readonly type: string;

  constructor(message: string, type = 'invalid_request_error', status = 400) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

export function only(value: unknown, keys: readonly string[], where: string): void {
  if (typeof value !== 'object' || value === null) throw new Refusal(`${where}: Input should be an object`);
  for (const key of Object.keys(value))
    if (!keys.includes(key)) throw new Refusal(`${where}${key}: Extra inputs are not permitted`);
}

/** The conversation that a block stands after, without the cache marks, which may move. */
export function prefixOf(body: Fields, messages: readonly unknown[]): string {
  const text = JSON.stringify([body.system, body.tools, messages], (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return createHash('sha256').update(text).digest('base64');
}
