// What is stored about the workspace of a session, as a sidecar file of the session. Pure.
import { type InferOutput, literal, optional, pipe, regex, strictObject, string } from 'valibot';
import { Fault, getErrorMessage, tryParseJson } from '../../../base/index.ts';
import { validate } from '../../../contracts/index.ts';

export const WORKSPACE_FILE = 'workspace.json';

const commit = pipe(string(), regex(/^[\da-f]{40,64}$/, 'must be a commit id'));
/** Other texts could name files outside of the workspace. */
const relativePath = pipe(
  string(),
  regex(/^(?!\/)(?!(?:.*\/)?\.\.?(?:\/|$))/, 'must be a path inside of the repository'),
);

const workspaceFacts = strictObject({
  version: literal(1),
  /** Without credentials: a URL, or a path on the machine on which the session was created. */
  repository: string(),
  /** Without credentials: where the snapshots are. */
  remote: string(),
  /** The name of the working copy. */
  name: pipe(string(), regex(/^\w[\w.-]*$/, 'must be a name')),
  /** The working directory of the session in the repository; empty for its root. */
  path: relativePath,
  /** The commit with which the session began. */
  base: commit,
  /** The commit of the agent on which the work in progress is based. */
  head: commit,
  /** The ref that is checked out. Absent if none is. */
  branch: optional(pipe(string(), regex(/^refs\/heads\/./, 'must be a branch'))),
  /** The commit with the work in progress. `head` if there is none. */
  snapshot: commit,
  /** The snapshot is on the remote. */
  isSaved: optional(literal(true)),
  /** The node that has changed the files last, and its changes that are not on the remote. */
  node: string(),
  hasUnsavedChanges: optional(literal(true)),
});

export type WorkspaceFacts = InferOutput<typeof workspaceFacts>;

export function parseFacts(text: string): WorkspaceFacts {
  try {
    return validate(workspaceFacts, tryParseJson(text));
  } catch (thrown) {
    throw new Fault('storage', `The stored workspace of the session cannot be read: ${getErrorMessage(thrown)}`);
  }
}

export function serializeFacts(facts: WorkspaceFacts): string {
  return `${JSON.stringify(facts)}\n`;
}
