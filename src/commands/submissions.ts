// Commands for prompts that workers run in copies of repositories.
import { array, boolean, integer, maxValue, minValue, number, object, optional, pipe, string } from 'valibot';
import { type CallContext, command, type Submissions } from '../contracts/index.ts';
import { verificationOnFailure } from '../protocol/subagent.ts';
import { submissionResult, submissionState } from '../protocol/submission.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const LIMIT_RULE = `must be a whole number from 1 to ${MAX_LIMIT}`;
const DEFAULT_QUEUE = 'default';

const submission = object({
  id: string(),
  queue: string(),
  state: submissionState,
  /** The process that works on it, or has finished it. */
  worker: optional(string()),
  /** Milliseconds since 1970. */
  createdMs: number(),
  startedMs: optional(number()),
  endedMs: optional(number()),
  error: optional(string()),
});

const openSubmissions = async ({ loadPorts }: CallContext): Promise<Submissions> =>
  (await loadPorts()).openSubmissions();

export const submit = command({
  name: 'submit',
  stability: 'experimental',
  doc: 'Lets a worker (`parley worker`) run a prompt in a copy of a repository, at a commit, and return the change as a patch. `repository` is a directory or a URL; without it the worker begins with an empty directory. `verify` are commands that must succeed afterwards. With a `submissionId` that was used before for the same work, that submission is returned and `isNew` is false. The id is also that of the session. Needs a database.',
  lane: 'now',
  long: true,
  params: object({
    prompt: string(),
    submissionId: optional(string()),
    queue: optional(string()),
    repository: optional(string()),
    commit: optional(string()),
    verify: optional(array(string())),
    /** What happens when a command of `verify` fails: `retry_once` asks the model to fix it. */
    onFailure: optional(verificationOnFailure),
    /** The smallest number is first. */
    priority: optional(number()),
  }),
  result: object({ submission, isNew: boolean() }),
  examples: [{ prompt: 'Fix the failing test', repository: '/srv/app', verify: ['npm test'] }],
  async run({ queue = DEFAULT_QUEUE, verify = [], onFailure = 'return_failure', submissionId: id, ...request }, call) {
    const ports = await call.loadPorts();
    const submissions = await ports.openSubmissions();
    return submissions.submit({ ...request, id, queue, verify, onFailure, cwd: ports.cwd });
  },
});

export const getSubmission = command({
  name: 'get_submission',
  stability: 'experimental',
  doc: 'The state of a submission, and its result if it has ended. The session with the same id has the conversation.',
  lane: 'now',
  long: true,
  access: 'read',
  params: object({ submissionId: string() }),
  result: object({ submission, result: optional(submissionResult) }),
  examples: [{ submissionId: '0f8b' }],
  async run({ submissionId: id }, call) {
    const { result, ...found } = await (await openSubmissions(call)).get(id);
    return { submission: found, ...(result ? { result } : {}) };
  },
});

export const getSubmissionPatch = command({
  name: 'get_submission_patch',
  stability: 'experimental',
  doc: 'The change of a submission as a binary unified diff against its commit, in base64. Absent when nothing was changed, or it has not ended.',
  lane: 'now',
  long: true,
  access: 'read',
  params: object({ submissionId: string() }),
  result: object({ base64: optional(string()) }),
  examples: [{ submissionId: '0f8b' }],
  async run({ submissionId: id }, call) {
    const submissions = await openSubmissions(call);
    await submissions.get(id);
    const patch = await submissions.readPatch(id);
    return patch === undefined ? {} : { base64: Buffer.from(patch).toString('base64') };
  },
});

export const listSubmissions = command({
  name: 'list_submissions',
  stability: 'experimental',
  doc: `The submissions of the tenant, newest first; those of one queue with \`queue\`. At most ${MAX_LIMIT}; without \`limit\` ${DEFAULT_LIMIT}.`,
  lane: 'now',
  long: true,
  access: 'read',
  params: object({
    queue: optional(string()),
    limit: optional(pipe(number(), integer(LIMIT_RULE), minValue(1, LIMIT_RULE), maxValue(MAX_LIMIT, LIMIT_RULE))),
  }),
  result: object({ submissions: array(submission) }),
  examples: [{ limit: 20 }],
  run: async ({ limit = DEFAULT_LIMIT, queue }, call) => ({
    submissions: [...(await (await openSubmissions(call)).list({ queue, limit }))],
  }),
});

export const cancelSubmission = command({
  name: 'cancel_submission',
  stability: 'experimental',
  doc: 'Stop a submission: one that waits is never started, and the work of one that runs is aborted. Does nothing when it has ended.',
  lane: 'now',
  long: true,
  params: object({ submissionId: string() }),
  result: object({ submission }),
  examples: [{ submissionId: '0f8b' }],
  run: async ({ submissionId: id }, call) => ({ submission: await (await openSubmissions(call)).cancel(id) }),
});
