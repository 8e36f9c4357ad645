// Adds what each session is doing now to a list of sessions.
import { isRecord } from '../base/index.ts';
import type { BackendReply, SessionActivity } from './backend.ts';

/** `activities` has the open sessions. A session that is not open does nothing; its last run may have been interrupted. */
export function addActivities(reply: BackendReply, activities: ReadonlyMap<string, SessionActivity>): BackendReply {
  if (reply.status !== 'settled' || !isRecord(reply.result) || !Array.isArray(reply.result.sessions)) return reply;
  const sessions = reply.result.sessions.map((session) => {
    if (!isRecord(session)) return session;
    const activity = activities.get(String(session.id)) ?? (session.interrupted === true ? 'interrupted' : 'idle');
    return { ...session, activity };
  });
  return { ...reply, result: { ...reply.result, sessions } };
}
