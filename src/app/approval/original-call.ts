// The call of an isolated subagent as if it were made in the working directory of the session: the change is merged there.
import { resolve } from 'node:path';
import type { PermissionSubject } from '../../contracts/index.ts';
import type { CallToCheck } from '../../permissions/index.ts';
import { type CopiedDirectory, findCopiedDirectory, toOriginalPath } from '../../support/paths/copied-directory.ts';

/** `undefined` when the call is made in the working directory of the session. */
export function toOriginalCall(call: CallToCheck, sessionCwd: string): CallToCheck | undefined {
  const copied = findCopiedDirectory(sessionCwd, call.cwd);
  if (!copied) return undefined;
  const subjects = call.subjects.map((subject) => toOriginalSubject(subject, call.cwd, copied));
  return { ...call, cwd: sessionCwd, subjects };
}

/** The text of a command is not changed: rules are compared with it, and its relative paths are resolved in `cwd`. */
function toOriginalSubject(subject: PermissionSubject, cwd: string, copied: CopiedDirectory): PermissionSubject {
  if (subject.kind !== 'path') return subject;
  return { ...subject, path: toOriginalPath(resolve(cwd, subject.path), copied) ?? subject.path };
}
