// One page of the list of sessions.
import type { ListSessionsResponse } from '@agentclientprotocol/sdk';
import { createInvalidParamsFault } from './errors.ts';

export interface StoredSession {
  readonly id: string;
  readonly cwd: string;
  readonly name?: string | undefined;
  readonly firstPrompt: string;
  readonly modifiedMs: number;
}

const PAGE_SIZE = 100;
const MAX_TITLE_LENGTH = 200;

/** `sessions` are sorted, newest first. The cursor names the last session of the previous page by time and id. */
export function createSessionPage(
  sessions: readonly StoredSession[],
  cursor: string | undefined,
): ListSessionsResponse {
  const rest = cursor === undefined ? sessions : listAfter(sessions, cursor);
  const page = rest.slice(0, PAGE_SIZE);
  const last = page.at(-1);
  return {
    sessions: page.map(({ id, cwd, name, firstPrompt, modifiedMs }) => ({
      sessionId: id,
      cwd,
      title: createTitle(name ?? firstPrompt),
      updatedAt: new Date(modifiedMs).toISOString(),
    })),
    ...(last && rest.length > page.length ? { nextCursor: formatCursor(last) } : {}),
  };
}

/** Sessions that changed after the first page was read are missing on the next pages, and none is listed twice. */
function listAfter(sessions: readonly StoredSession[], cursor: string): readonly StoredSession[] {
  const [, time = '', id = ''] = /^(\d+):(.*)$/.exec(cursor) ?? [];
  if (time === '') throw createInvalidParamsFault(`cursor must come from nextCursor (got ${cursor})`);
  const ms = Number(time);
  const index = sessions.findIndex((session) => session.id === id);
  return index >= 0 && Math.round(sessions[index]?.modifiedMs ?? -1) === ms
    ? sessions.slice(index + 1)
    : sessions.filter(({ modifiedMs }) => modifiedMs < ms);
}

function formatCursor({ id, modifiedMs }: StoredSession): string {
  return `${Math.round(modifiedMs)}:${id}`;
}

export function createTitle(text: string): string | null {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? null : line.slice(0, MAX_TITLE_LENGTH);
}
