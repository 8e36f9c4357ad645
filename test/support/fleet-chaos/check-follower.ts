// Compares what a client has received of a session with the log of the session.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { findPositionErrors } from '../server/event-record.ts';
import { joinConversations, listEndedMessages } from '../server/snapshot-check.ts';
import { type Job, toAnswer, toPrompt } from './job-model.ts';
import type { SessionFollower } from './session-follower.ts';

/** The process that has the session open does not know the position: it is of another process, or of an earlier time. */
const EXPECTED_REASONS: readonly unknown[] = ['too_old', 'unknown_position'];

export function checkFollower({ name, segments, failure }: SessionFollower, stored: unknown[], jobs: readonly Job[]) {
  const ended = segments.flatMap(({ records }) => listEndedMessages(records));
  const seen = JSON.stringify([...ended, ...segments.map(({ snapshot }) => snapshot?.messages)]);
  const conversation = joinConversations(segments);
  const found = {
    ...{ name, failure },
    // No tool of a job has output, so no number may be left out.
    positions: segments.flatMap((segment) => findPositionErrors(segment, () => false)),
    restarts: segments.map(({ snapshot }) => snapshot?.reason).filter((reason) => !EXPECTED_REASONS.includes(reason)),
    notStored: ended.filter((message) => !stored.some((other) => isDeepStrictEqual(message, other))),
    notSeen: jobs.filter((job) => !seen.includes(`${toPrompt(job)}"`) || !seen.includes(`${toAnswer(job.name)}"`)),
    difference: findFirstDifference(conversation, stored),
  };
  const expected = { name, failure: undefined, positions: [], restarts: [], notStored: [], notSeen: [] };
  expect(found).toEqual({ ...expected, difference: undefined });
}

function findFirstDifference(conversation: readonly unknown[], stored: readonly unknown[]): object | undefined {
  const length = Math.max(conversation.length, stored.length);
  for (let index = 0; index < length; index++)
    if (!isDeepStrictEqual(conversation[index], stored[index]))
      return { index, of: [conversation.length, stored.length], received: conversation[index], stored: stored[index] };
  return undefined;
}
