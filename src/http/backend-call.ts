// Calls commands for requests: the caller, the parameters of the query, and whether to wait.
import { Fault } from '../base/index.ts';
import type { BackendReply, HttpBackend } from './backend.ts';
import type { HttpContext } from './http-context.ts';

type CallBackend = (
  context: HttpContext,
  command: string,
  params: unknown,
  sessionId?: string,
) => Promise<BackendReply>;

export function createCaller(backend: HttpBackend): CallBackend {
  return async (context, command, params, sessionId) => {
    const wait = context.req.query('wait') ?? 'accepted';
    if (wait !== 'settled' && wait !== 'accepted')
      throw new Fault('invalid_params', `wait must be accepted or settled (got ${JSON.stringify(wait)})`);
    const caller = context.get('caller');
    const sessions = await backend.getSessions(caller);
    return sessions.call({ caller, command, params, sessionId, shouldWait: wait === 'settled' });
  };
}

export function getSessionId(context: HttpContext): string {
  return context.req.param('id') ?? '';
}

/** The query parameters of these names. */
export function readNumbers(context: HttpContext, ...names: readonly string[]): Record<string, number> {
  const given = names.flatMap((name) => {
    const text = context.req.query(name);
    if (text === undefined) return [];
    const number = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isNaN(number))
      throw new Fault('invalid_params', `${name} must be a number (got ${JSON.stringify(text)})`);
    return [[name, number] as const];
  });
  return Object.fromEntries(given);
}

/** A query parameter that is true or false; false when it is absent. */
export function readFlag(context: HttpContext, name: string): boolean {
  const text = context.req.query(name) ?? 'false';
  if (text !== 'true' && text !== 'false')
    throw new Fault('invalid_params', `${name} must be true or false (got ${JSON.stringify(text)})`);
  return text === 'true';
}
