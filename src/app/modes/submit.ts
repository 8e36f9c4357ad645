// `parley submit`: lets a worker run a prompt in a copy of a repository.
import { parseArgs } from 'node:util';
import { Fault, toJson } from '../../base/index.ts';
import type { Submission, SubmissionDetails, Submissions } from '../../contracts/index.ts';
import { createGit } from '../../core/git/git.ts';
import type { SubmissionRequest } from '../../protocol/submission.ts';
import { withSubmissions } from './open-submissions.ts';
import { parseWithHelp } from './parse-with-help.ts';
import { readUserInput } from './read-user-input.ts';
import type { StartContext, StartOptions } from './start-agent.ts';

export const SUBMIT_HELP = `Usage: parley submit [options] PROMPT

A worker (parley worker) runs the prompt in a copy of a repository, verifies the work, and returns the change as a patch.
Nothing in this directory is changed. The worker and this program use the same database (setting store, --store, or the
variable PARLEY_DATABASE_URL). Prints the id of the submission, which is also the id of its session.

  --queue NAME            the queue to wait in; "default" when absent
  --repository URL|PATH   the repository; that of this directory when absent. A path must exist on the worker, too
  --no-repository         begin with an empty directory
  --commit REF            a commit, branch or tag; the current commit when absent. Changes that are not committed are
                          not part of it
  --verify COMMAND        a command that must succeed afterwards; can be repeated
  --on-failure MODE       when it fails: return_failure (default), retry_once (the model is asked to fix it),
                          discard_patch
  --priority N            submissions with smaller numbers are taken first; 0 when absent
  --id ID                 the id. Repeated with the same work, the command returns the first submission
  --wait                  wait for the end, and print the answer. The exit code is 0 when the work has succeeded, else 1
  --json                  print JSON: the submission, with --wait also its result
  --store URL             the database

Without PROMPT it is read from stdin. See also: parley submissions.

Examples:
  parley submit --wait --verify "npm test" "Fix the failing test"
  parley submit --queue reviews --repository https://example.com/app.git --commit main "Review the last commit"
`;

const OPTIONS = {
  queue: { type: 'string', default: 'default' },
  repository: { type: 'string' },
  'no-repository': { type: 'boolean' },
  commit: { type: 'string' },
  verify: { type: 'string', multiple: true, default: [] as string[] },
  'on-failure': { type: 'string', default: 'return_failure' },
  priority: { type: 'string' },
  id: { type: 'string' },
  wait: { type: 'boolean' },
  json: { type: 'boolean' },
  store: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const ON_FAILURE: readonly string[] = ['return_failure', 'retry_once', 'discard_patch'];
const POLL_MS = 500;
const FAILURE = 1;

type Warn = (line: string) => void;
type Values = ReturnType<typeof parse>['values'];

/** `createFlags` parses the options of the program. Returns the text to print. */
export async function runSubmit(
  argv: readonly string[],
  warn: Warn,
  createFlags: (argv: readonly string[]) => StartOptions,
): Promise<string> {
  const { values, positionals } = parse(argv);
  if (values.help) return SUBMIT_HELP;
  const onFailure = values['on-failure'];
  if (!ON_FAILURE.includes(onFailure))
    throw new Fault('config', `--on-failure takes ${ON_FAILURE.join(', ')} (got "${onFailure}")`);
  if (values.repository !== undefined && values['no-repository'])
    throw new Fault('config', '--repository and --no-repository exclude each other.');
  const flags = createFlags(values.store === undefined ? [] : ['--store', values.store]);
  return withSubmissions(flags, warn, async ({ submissions, context }) => {
    const { submission } = await submissions.submit({
      prompt: await readPrompt(positionals, context, warn),
      ...{ cwd: context.cwd, queue: values.queue, verify: values.verify, id: values.id },
      onFailure: onFailure as SubmissionRequest['onFailure'],
      ...(await chooseRepository(values, context, warn)),
      ...(values.priority === undefined ? {} : { priority: toNumber(values.priority) }),
    });
    if (!values.wait) return values.json ? `${toJson({ submission })}\n` : `${submission.id}\n`;
    return waitForEnd(submissions, submission, { ...values, clock: context.ports.clock, warn });
  });
}

function parse(argv: readonly string[]) {
  return parseWithHelp(SUBMIT_HELP, () => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }));
}

async function readPrompt(positionals: readonly string[], { ports, cwd }: StartContext, warn: Warn): Promise<string> {
  if (positionals.length > 0) return positionals.join(' ');
  const { message } = await readUserInput({ messages: [], files: [] }, { ports, cwd, warn });
  if (message.trim() === '') throw new Fault('config', `No prompt\n\n${SUBMIT_HELP}`);
  return message;
}

function toNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Fault('config', `--priority takes a whole number (got "${text}")`);
}

/** Without a flag: the repository of the working directory, if it is in one. */
async function chooseRepository(
  values: Values,
  { ports, cwd }: StartContext,
  warn: Warn,
): Promise<Pick<SubmissionRequest, 'repository' | 'commit'>> {
  const commit = values.commit === undefined ? {} : { commit: values.commit };
  if (values['no-repository']) return commit;
  if (values.repository !== undefined) return { repository: values.repository, ...commit };
  const git = createGit(ports, cwd);
  const found = await git.run(['rev-parse', '--show-toplevel']);
  if (found.code !== 0) {
    const advice = 'Name one with --repository, or begin with an empty directory (--no-repository).';
    throw new Fault('config', `${cwd} is not inside a git working tree. ${advice}`);
  }
  if (values.commit === undefined && (await git.text(['status', '--porcelain'])) !== '')
    warn('Changes that are not committed are not part of the submission.');
  return { repository: cwd, ...commit };
}

interface WaitOptions {
  readonly json?: boolean | undefined;
  readonly clock: { sleep(ms: number): Promise<void> };
  readonly warn: Warn;
}

async function waitForEnd(
  submissions: Submissions,
  submission: Submission,
  { json, clock, warn }: WaitOptions,
): Promise<string> {
  let shown = '';
  for (;;) {
    const found = await submissions.get(submission.id);
    const line = formatProgress(found);
    if (line !== shown && process.stderr.isTTY) warn(line);
    shown = line;
    if (isEnded(found)) {
      if (found.state !== 'succeeded') process.exitCode = FAILURE;
      return json ? formatJson(found) : formatEnd(found, warn);
    }
    await clock.sleep(POLL_MS);
  }
}

/** A worker that was stopped stores its result after the state has changed. */
function isEnded({ state }: SubmissionDetails): boolean {
  return state !== 'queued' && state !== 'running';
}

function formatProgress({ id, state, queue, worker }: Submission): string {
  if (state === 'queued') return `${id} waits in the queue ${queue}`;
  return `${id} ${state}${worker === undefined ? '' : ` (${worker})`}`;
}

export function formatJson({ result, ...submission }: SubmissionDetails): string {
  return `${toJson({ submission, ...(result ? { result } : {}) })}\n`;
}

function formatEnd({ state, result, error, id }: SubmissionDetails, warn: Warn): string {
  const text = result?.text ?? '';
  const reason = result?.error ?? error;
  if (state !== 'succeeded')
    warn(`Error: the submission ${id} was ${state}${reason === undefined ? '' : `: ${reason}`}`);
  else if (result?.hasPatch) warn(`The change: parley submissions patch ${id}`);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
