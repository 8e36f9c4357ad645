// `parley worker`: runs submitted prompts in copies of repositories.
import { join } from 'node:path';
import { createDeferred, Fault, toJson } from '../../../base/index.ts';
import type { QueueLimits } from '../../../contracts/index.ts';
import { FLAGS, getFieldName } from '../../../settings/index.ts';
import { homeDirectory } from '../../../support/home-directory.ts';
import { guardStdout } from '../../../transports/index.ts';
import { loadProjectSettings } from '../../../trust/index.ts';
import { createNoDatabaseFault } from '../../command-ports/command-ports.ts';
import { createAgent } from '../../create-agent.ts';
import { checkQueueName } from '../../fleet/submissions.ts';
import type { TaskContext } from '../../fleet/worker/run-task.ts';
import { startWorker } from '../../fleet/worker/start-worker.ts';
import { parseWithHelp } from '../parse-with-help.ts';
import { printText } from '../print.ts';
import { createShutdown } from '../shutdown.ts';
import {
  checkUnknownFlagsLazily,
  prepareStart,
  type StartContext,
  type StartOptions,
  toAgentOptions,
} from '../start-agent.ts';

export const WORKER_HELP = `Usage: parley worker --queue NAME [--queue NAME]... [options]

Takes submitted prompts (parley submit) from queues of the database, and runs each in a copy of its repository: clones at
the commit, runs, verifies, and returns the change as a patch. Start it on as many machines as you like. When a worker
ends, another one continues its work; finished steps are not repeated.

  --queue NAME             take submissions of this queue; can be repeated
  --json                   print the start as JSON

Limits. They belong to the queues, not to this worker: those that were given last count for all workers of a queue.
  --concurrency N          submissions that each worker runs at a time; 1 when absent
  --global-concurrency N   submissions that all workers run at a time
  --tenant-concurrency N   submissions of one tenant that all workers run at a time
  --rate N/SECONDSs        submissions that start in a time, for example 10/60s

A worker serves all tenants, in turn: one that has submitted many prompts does not delay the others. To limit a provider,
use a queue for it: its workers are started with --provider, and --global-concurrency and --rate hold for all of them.

All options of parley --help that do not select a session can be used, for example --model, --approval-mode, --sandbox and
--store. No one answers approvals: calls that would ask are denied, so use --approval-mode and --sandbox to say what is
allowed. Settings, hooks and extensions of a repository are not used, unless --trust is given.

Examples:
  parley worker --queue default --concurrency 4 --approval-mode full --sandbox workspace-write
  parley worker --queue reviews --provider anthropic --global-concurrency 10 --rate 50/60s
`;

/** The flags of the program and the positional arguments. */
interface WorkerFlags extends StartOptions {
  readonly messages: readonly string[];
  readonly files: readonly string[];
}

type ParseFlags = (argv: readonly string[]) => WorkerFlags;
type Warn = (line: string) => void;

/** Flags of this command only. */
interface OwnFlags {
  readonly queues: readonly string[];
  readonly limits: QueueLimits;
  readonly json: boolean;
}

const OWN_FLAG = /^--(queue|concurrency|global-concurrency|tenant-concurrency|rate)(?:=(.*))?$/s;

/** Returns the text to print, or does not return: the process exits with a signal. */
export async function runWorker(argv: readonly string[], warn: Warn, parseFlags: ParseFlags): Promise<string> {
  const { values, json, rest } = takeOwnFlags(argv);
  const { messages, files, ...options } = parseWithHelp(WORKER_HELP, () => parseFlags(rest));
  if (options.help) return WORKER_HELP;
  const [extra] = [...messages, ...files];
  if (extra !== undefined) throw new Fault('config', `Unknown argument: ${extra}\n\n${WORKER_HELP}`);
  refuseFlags(options, rest);
  return work({ ...options, mode: 'text' }, { ...parseOwnFlags(values), json }, warn);
}

interface TakenFlags {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly json: boolean;
  readonly rest: readonly string[];
}

function takeOwnFlags(argv: readonly string[]): TakenFlags {
  const values = new Map<string, string[]>();
  const rest: string[] = [];
  let json = false;
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] as string;
    const [, name, inline] = OWN_FLAG.exec(argument) ?? [];
    if (name !== undefined) {
      const value = inline ?? argv[++i];
      if (value === undefined) throw new Fault('config', `--${name} needs a value\n\n${WORKER_HELP}`);
      values.set(name, [...(values.get(name) ?? []), value]);
    } else if (argument === '--json') json = true;
    else rest.push(argument);
  }
  return { values, json, rest };
}

function parseOwnFlags(values: TakenFlags['values']): Omit<OwnFlags, 'json'> {
  const queues = [...new Set(values.get('queue') ?? [])];
  if (queues.length === 0) throw new Fault('config', `parley worker needs --queue NAME\n\n${WORKER_HELP}`);
  queues.forEach(checkQueueName);
  const readCount = (name: string): number | undefined => {
    const text = values.get(name)?.at(-1);
    if (text === undefined || /^[1-9]\d{0,5}$/.test(text)) return text === undefined ? undefined : Number(text);
    throw new Fault('config', `--${name} takes a whole number above 0 (got "${text}")`);
  };
  return {
    queues,
    limits: {
      perWorker: readCount('concurrency'),
      total: readCount('global-concurrency'),
      perTenant: readCount('tenant-concurrency'),
      rate: parseRate(values.get('rate')?.at(-1)),
    },
  };
}

function parseRate(text: string | undefined): QueueLimits['rate'] {
  if (text === undefined) return undefined;
  const [, count, seconds] = /^([1-9]\d{0,5})\/([1-9]\d{0,5})s$/.exec(text) ?? [];
  if (count === undefined)
    throw new Fault('config', `--rate takes NUMBER/SECONDSs, for example 10/60s (got "${text}")`);
  return { count: Number(count), seconds: Number(seconds) };
}

/** Flags without an effect would be misunderstood. */
function refuseFlags(options: StartOptions, rest: readonly string[]): void {
  if (rest.some((argument) => /^--(mode|dialect)(=|$)/.test(argument)) || options.print)
    throw new Fault(
      'config',
      'parley worker takes no --mode, no --dialect and no --print: it takes prompts from queues.',
    );
  if (options.noSession)
    throw new Fault('config', 'parley worker takes no --no-session: results are stored in sessions.');
  const given = new Map(Object.entries(options).filter(([, value]) => value !== undefined && value !== false));
  const flag = FLAGS.find((each) => each.isForFirstSession && given.has(getFieldName(each)));
  if (flag !== undefined)
    throw new Fault('config', `parley worker takes no --${flag.name}: each submission has its own session.`);
}

async function work(options: StartOptions, { queues, limits, json }: OwnFlags, warn: Warn): Promise<never> {
  const context = await prepareStart(options, warn);
  const { storage, ports, settings, agentDirectory } = context;
  if (!storage) {
    await context.close();
    throw createNoDatabaseFault();
  }
  const worker = await startWorker({
    ...{ storage, ports, queues, limits },
    takeoverMs: settings['database.takeoverSeconds'] * 1000,
    workspacesDirectory: join(agentDirectory, 'workspaces'),
    openAgent: (request) => openAgent(options, context, warn, request),
  }).catch(async (thrown: unknown) => {
    await context.close();
    throw thrown;
  });
  const shutdown = createShutdown(ports, async () => {
    await worker.close();
    await ports.processes.killAll();
    await context.close();
  });
  const names = queues.join(', ');
  await printText(
    json
      ? `${toJson({ worker: worker.id, queues, pid: process.pid })}\n`
      : `Parley takes submissions from ${names}. Press Ctrl+C to stop.\n`,
  );
  // Extensions must not write to stdout from here on.
  guardStdout();
  await createDeferred().promise;
  return shutdown.exit(0);
}

/** The settings of a repository count only when it is trusted, like those of every other directory. */
async function openAgent(
  options: StartOptions,
  context: StartContext,
  warn: Warn,
  { cwd, session, storage, hooks }: Parameters<TaskContext['openAgent']>[0],
): ReturnType<TaskContext['openAgent']> {
  const { ports, agentDirectory } = context;
  const project = { files: ports.files, agentDirectory, cwd, home: homeDirectory(), flags: options, warn };
  const { decision, values, rules } = await loadProjectSettings(project);
  const agent = await createAgent({
    ...toAgentOptions(options, { ...context, cwd, settings: values, permissionRules: rules }, warn),
    ...{ trusted: decision.trusted, inventory: decision.inventory },
    ...{ storage, session, hooks, settingSources: undefined },
    // Extensions of one submission must not end the worker.
    onExitRequested: () => {},
  });
  await checkUnknownFlagsLazily(agent.extensions, options, warn).catch(async (fault: unknown) => {
    await agent.end();
    throw fault;
  });
  return { session: agent.session, runShell: agent.runShell, end: agent.end };
}
