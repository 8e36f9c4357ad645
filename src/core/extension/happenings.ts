// First floor, core: what happened to a session, under the names that extensions know. Pure.
import type { Happening } from '../../contracts/index.ts';

type Announcement = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Older members of the family have a name for each way a conversation comes into place; newer ones one for all. */
export function announcements(happening: Happening): readonly Announcement[] {
  if (happening.type !== 'session_start') return [{ ...happening }];
  const { reason, previousSessionFile } = happening;
  const older =
    reason === 'fork'
      ? [
          { type: 'session_fork', previousSessionFile },
          { type: 'session_branch', previousSessionFile },
        ]
      : [{ type: 'session_switch', reason, previousSessionFile }];
  return [...older, { type: 'session_start', reason, previousSessionFile }];
}
