// Runs a command in a terminal of the client. Every created terminal is released, also after errors.
import type { CreateTerminalRequest, EnvVariable } from '@agentclientprotocol/sdk';
import { Fault, getErrorMessage, isRecord } from '../../../base/index.ts';
import type { AgentSession, RunInTerminal, TerminalOptions } from '../../../contracts/index.ts';
import { waitAtMost } from '../../../support/wait-at-most.ts';
import { type ClientRequests, RefusedRequest, type SendFrame } from './client-requests.ts';

/** The client keeps the end of a longer output. */
const OUTPUT_BYTE_LIMIT = 1024 * 1024;
/** How long to wait for the client to kill a command or to return its output. */
const ANSWER_LIMIT_MS = 5000;
/** A terminal has a user who could leave a pager; the agent cannot. */
const ENVIRONMENT: EnvVariable[] = [
  { name: 'PAGER', value: 'cat' },
  { name: 'GIT_PAGER', value: 'cat' },
];

export interface TerminalRunnerOptions extends TerminalOptions {
  readonly requests: ClientRequests;
  readonly session: Pick<AgentSession, 'id'>;
  readonly send: SendFrame;
  /** Called before the command ends. */
  onCreated(terminalId: string): void;
}

type TerminalRequest = Parameters<RunInTerminal>[0];
type ExitStatus = { exitCode: number | null; signal: string | null };

export function createTerminalRunner(options: TerminalRunnerOptions): RunInTerminal {
  return async (request) => {
    const terminal = await createTerminal(options, request);
    if (!terminal) return undefined;
    try {
      options.onCreated(terminal.id);
      return await waitForCommand(terminal, request);
    } finally {
      terminal.release();
    }
  };
}

/** `undefined` when the client has failed or is gone: then the command was not run. Throws when it was denied or may have run. */
async function createTerminal(
  options: TerminalRunnerOptions,
  { command, cwd, signal }: TerminalRequest,
): Promise<ClientTerminal | undefined> {
  const { requests, session, send, shell } = options;
  if (requests.isClosed) return undefined;
  const params: CreateTerminalRequest = {
    sessionId: session.id,
    command: shell,
    // The standard input is empty, as in our own shell. Commands that read it would wait forever.
    args: ['-c', `exec </dev/null\n${command}`],
    env: ENVIRONMENT,
    cwd,
    outputByteLimit: OUTPUT_BYTE_LIMIT,
  };
  const killLate = (result: unknown) => {
    const id = getTerminalId(result);
    if (id === undefined) return;
    const terminal = new ClientTerminal(options, id);
    void terminal.kill().finally(() => terminal.release());
  };
  try {
    const id = getTerminalId(
      await requests.send(send, 'terminal/create', params, { signal, handleLateResult: killLate }),
    );
    if (id !== undefined) return new ClientTerminal(options, id);
  } catch (thrown) {
    if (thrown instanceof RefusedRequest && thrown.code !== 'refused') return undefined;
    throw thrown;
  }
  // The client reports success, so the command may be running.
  throw new Fault('tool_failed', 'The client returned no terminalId for the terminal that it created.');
}

function getTerminalId(result: unknown): string | undefined {
  return isRecord(result) && typeof result.terminalId === 'string' ? result.terminalId : undefined;
}

async function waitForCommand(terminal: ClientTerminal, { signal, onOutput }: TerminalRequest) {
  const { end, problem } = await waitForExit(terminal, signal);
  const { text, truncated, exitStatus } = await terminal.readOutput();
  if (text !== '') onOutput(new TextEncoder().encode(text));
  const status = end && hasStatus(end) ? end : (exitStatus ?? end);
  if (status || signal.aborted) return { exitCode: null, ...status, isStartMissing: truncated };
  await terminal.kill();
  throw new Fault('tool_failed', `The terminal of the client failed: ${problem}`);
}

/** `end` is absent when it is unknown whether the command has ended. */
async function waitForExit(
  terminal: ClientTerminal,
  signal: AbortSignal,
): Promise<{ end?: ExitStatus; problem?: string }> {
  try {
    return { end: parseExitStatus(await terminal.waitForExit(signal)) };
  } catch (thrown) {
    if (signal.aborted) await terminal.kill();
    return { problem: getErrorMessage(thrown) };
  }
}

function hasStatus({ exitCode, signal }: ExitStatus): boolean {
  return exitCode !== null || signal !== null;
}

/** One terminal. Only `waitForExit` throws: a client that fails at the other requests does not change the result. */
class ClientTerminal {
  readonly id: string;
  readonly #options: TerminalRunnerOptions;

  constructor(options: TerminalRunnerOptions, id: string) {
    this.#options = options;
    this.id = id;
  }

  waitForExit(signal: AbortSignal): Promise<unknown> {
    return this.#send('wait_for_exit', signal);
  }

  async kill(): Promise<void> {
    await this.#sendAndWait('kill');
  }

  release(): void {
    void this.#send('release').catch(() => {});
  }

  async readOutput(): Promise<{ text: string; truncated: boolean; exitStatus: ExitStatus | undefined }> {
    const result = await this.#sendAndWait('output');
    const { output, truncated, exitStatus } = isRecord(result) ? result : {};
    return {
      text: typeof output === 'string' ? output : '[The client did not return the output of the terminal]\n',
      truncated: truncated === true,
      exitStatus: isRecord(exitStatus) ? parseExitStatus(exitStatus) : undefined,
    };
  }

  /** `undefined` when the client fails or does not answer in time. */
  async #sendAndWait(name: string): Promise<unknown> {
    let result: unknown;
    const limit = new AbortController();
    const work = this.#send(name, limit.signal).then(
      (value) => {
        result = value;
      },
      () => {},
    );
    await waitAtMost(this.#options.clock, ANSWER_LIMIT_MS, work);
    limit.abort();
    return result;
  }

  #send(name: string, signal?: AbortSignal): Promise<unknown> {
    const { requests, session, send } = this.#options;
    return requests.send(send, `terminal/${name}`, { sessionId: session.id, terminalId: this.id }, { signal });
  }
}

/** Some clients name a signal without `SIG`. */
function parseExitStatus(value: unknown): ExitStatus {
  if (!isRecord(value)) throw new Fault('tool_failed', 'The client returned no exit status.');
  const { exitCode, signal } = value;
  const name = typeof signal === 'string' ? signal.toUpperCase() : undefined;
  return {
    exitCode: typeof exitCode === 'number' && Number.isInteger(exitCode) ? exitCode : null,
    signal: name === undefined || name.startsWith('SIG') ? (name ?? null) : `SIG${name}`,
  };
}
