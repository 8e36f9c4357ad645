// Error responses of the Responses API.
import { Refusal as LoopbackRefusal } from './loopback.ts';

export class Refusal extends LoopbackRefusal {
  constructor(message: string, { status = 400, param = null as string | null, code = null as string | null } = {}) {
    super(status, errorBody(message, code, 'invalid_request_error', param), {}, message);
  }
}

export function errorBody(
  message: string,
  code: string | null,
  type = 'invalid_request_error',
  param: string | null = null,
): string {
  return JSON.stringify({ error: { message, type, param, code } }, null, 2);
}

export function assertKnownKeys(value: unknown, keys: readonly string[], where: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(`Invalid type for '${where.slice(0, -1)}': expected an object.`, { code: 'invalid_type' });
  for (const key of Object.keys(value))
    if (!keys.includes(key))
      throw new Refusal(`Unknown parameter: '${where}${key}'.`, { param: `${where}${key}`, code: 'unknown_parameter' });
}
