// Print mode: runs one prompt and writes the answer as text, or the events in the default dialect, to stdout.
import { isatty } from 'node:tty';
import { Fault, toJson } from '../../base/index.ts';
import { sanitize } from '../../base/safe-text.ts';
import { omp } from '../../dialects/index.ts';
import { type AgentMessage, type AssistantMessage, extractText } from '../../protocol/index.ts';
import { version } from '../../support/version.ts';
import { createStdioTransport, guardStdout } from '../../transports/index.ts';
import { createProgress } from './progress.ts';
import { readUserInput } from './read-user-input.ts';
import { createShutdown } from './shutdown.ts';
import { type StartedAgent, type StartOptions, startAgent } from './start-agent.ts';

export interface PrintOptions extends StartOptions {
  readonly mode: 'text' | 'json';
  readonly messages: readonly string[];
  readonly files: readonly string[];
  /** Parses `messages` and `files` again, given the flags of extensions that take no value. */
  reparse?(switches: ReadonlySet<string>): Pick<PrintOptions, 'messages' | 'files'>;
}

const EXIT_FAILURE = 1;

type Output = Pick<ReturnType<typeof createStdioTransport>, 'write' | 'flush'>;

/** Prints a text without starting an agent. Sanitized for a terminal, unchanged for a file or a pipe. */
export async function printText(text: string): Promise<void> {
  const shown = isatty(1) ? sanitize(text) : text;
  const output = createStdioTransport();
  output.write([shown]);
  await output.flush();
  output.close();
}

/** Sources of notices about files that are not used, or that are outside the working directory. */
const FILE_NOTICE_SOURCES: ReadonlySet<string> = new Set(['context', 'trust', 'paths']);

/** Returns the exit code: 0 when the run finished, 1 when it failed or was aborted. */
export async function runPrint(options: PrintOptions, writeLine: (line: string) => void): Promise<number> {
  const warn = (line: string) => writeLine(sanitize(line));
  // Checked now, because guardStdout() replaces file descriptor 1. A file or a pipe gets the answer unchanged.
  const forReader = isatty(1) ? sanitize : (text: string) => text;
  // Before any code of an extension runs: stdout is reserved for the answer or the events.
  guardStdout();
  const started = await startAgent(options, warn);
  const { agent, ports } = started;
  const input = await readUserInput(reparseArguments(options, started), { ports, cwd: started.cwd, warn });
  if (input.message.trim() === '') {
    await started.close();
    throw new Fault(
      'config',
      'No message: pass one as an argument, pipe it to stdin, or serve a host with --mode rpc. See --help.',
    );
  }
  const output = createStdioTransport();
  const shutdown = createShutdown(ports, async () => {
    await started.close();
    await output.flush();
  });
  void output.readerClosed.then(() => shutdown.exit(0));
  // Without a model the prompt below is refused with an error that contains the reason.
  if (agent.session.models.current && agent.modelNotice) warn(agent.modelNotice.message);
  let exceededLimit: string | undefined;
  const isSilent = options.mode !== 'json' && !process.stderr.isTTY;
  agent.session.subscribe((event) => {
    if (event.type === 'budget_exceeded' && event.scope === 'session') exceededLimit = event.snapshot.reason;
    // These are reported even when progress is not shown.
    if (isSilent && event.type === 'notice' && FILE_NOTICE_SOURCES.has(event.source ?? '')) warn(event.message);
  });
  const reporter =
    options.mode === 'json'
      ? createEventReporter(started, output, options)
      : createTextReporter(started, output, { forReader, warn });
  await started.offerTrust(options.mode === 'json' ? undefined : ({ message }) => warn(message));
  await agent.session.runs.prompt({ ...input, onAccepted: () => {} });
  // After a signal or a closed stdout the incomplete answer is not printed.
  const code = shutdown.isExiting ? EXIT_FAILURE : reporter.finish(agent.session.history.messages(), warn);
  if (exceededLimit) warn(`Error: Session budget exceeded (${exceededLimit})`);
  return shutdown.exit(exceededLimit ? EXIT_FAILURE : code);
}

/** An unknown flag takes the next argument as its value, unless an extension has registered it as boolean. */
function reparseArguments(options: PrintOptions, { agent }: StartedAgent): Pick<PrintOptions, 'messages' | 'files'> {
  const flags = [...agent.extensions.flags].filter(([, { type }]) => type === 'boolean');
  return (flags.length > 0 && options.reparse?.(new Set(flags.map(([name]) => name)))) || options;
}

interface ResultReporter {
  finish(messages: readonly AgentMessage[], warn: (line: string) => void): number;
}

/** Writes progress to stderr, and the answer to stdout when it is complete. */
function createTextReporter(
  startedAgent: StartedAgent,
  output: Output,
  { forReader, warn: reportNotice }: { forReader(text: string): string; warn(line: string): void },
): ResultReporter {
  const progress = createProgress();
  startedAgent.agent.session.subscribe((event) => {
    progress.show(event);
    // A message that was accepted but not run is reported even when stderr is not a terminal.
    if (!progress.isShown && event.type === 'notice' && event.source === 'queue') reportNotice(event.message);
  });
  return {
    finish(messages, warn) {
      const answer = findLastAnswer(messages);
      const text = forReader(answer ? extractText(answer.content) : '');
      if (text !== '') output.write([text.endsWith('\n') ? text : `${text}\n`]);
      return toExitCode(answer, warn);
    },
  };
}

/** Writes the session header, then each event in the default dialect. */
function createEventReporter({ agent }: StartedAgent, output: Output, options: PrintOptions): ResultReporter {
  const codec = omp.createCodec({ version: version(), stream: options.stream ?? 'full' });
  const { session } = agent;
  output.write([`${toJson(session.header)}\n`]);
  session.subscribe((event) => {
    // It belongs to the outcomes of prompts, which only RPC mode sends.
    if (event.type === 'session_settled') return;
    const frame = codec.encodeEvent(event);
    if (!frame || output.write(frame.chunks)) return undefined;
    return output.flush();
  });
  return { finish: (messages, warn) => toExitCode(findLastAnswer(messages), warn) };
}

function findLastAnswer(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  return messages.findLast((message): message is AssistantMessage => message.role === 'assistant');
}

function toExitCode(answer: AssistantMessage | undefined, warn: (line: string) => void): number {
  if (answer && answer.stopReason !== 'error' && answer.stopReason !== 'aborted') return 0;
  warn(`Error: ${answer?.errorMessage ?? 'the run ended without an answer'}`);
  return EXIT_FAILURE;
}
