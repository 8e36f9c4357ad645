// Adds what each session is doing now to a list of sessions.
import { isRecord } from '../base/index.ts';
import type { BackendReply, SessionBackend } from './backend.ts';

/** A session that is not open does nothing; its last run may have been interrupted. */
export async function addActivities(
  reply: BackendReply,
  backend: Pick<SessionBackend, 'listActivities'>,
): Promise<BackendReply> {
  if (reply.status !== 'settled' || !isRecord(reply.result) || !Array.isArray(reply.result.sessions)) return reply;
  const listed = reply.result.sessions.filter(isRecord);
  const activities = await backend.listActivities(listed.map(({ id }) => String(id)));
  const sessions = listed.map((session) => {
    const activity = activities.get(String(session.id)) ?? (session.interrupted === true ? 'interrupted' : 'idle');
    return { ...session, activity };
  });
  return { ...reply, result: { ...reply.result, sessions } };
}
