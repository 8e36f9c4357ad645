// The hall: one message, one answer, on a terminal or in a pipe. As text, or as the events of the default dialect.
import { isatty } from 'node:tty';
import { Fault, toJson } from '../../base/index.ts';
import { plain } from '../../base/plain.ts';
import { omp } from '../../dialects/index.ts';
import { type AgentMessage, type AssistantMessage, textOf } from '../../protocol/index.ts';
import { createStdioTransport, guardStdout } from '../../transports/index.ts';
import { version } from '../version.ts';
import { gatherInput } from './input.ts';
import { createProgress } from './progress.ts';
import { createShutdown } from './shutdown.ts';
import { type Started, type StartOptions, start } from './start.ts';

export interface PrintOptions extends StartOptions {
  readonly mode: 'text' | 'json';
  readonly messages: readonly string[];
  readonly files: readonly string[];
  readonly stream?: 'full' | 'delta' | undefined;
  /** The same two, when these flags of extensions take no value. */
  reread?(switches: ReadonlySet<string>): Pick<PrintOptions, 'messages' | 'files'>;
}

const FAILURE = 1;

type Output = Pick<ReturnType<typeof createStdioTransport>, 'write' | 'flush'>;

/** Prints a text that needs no agent. A person reads it; a file or a pipe gets it as it is. */
export async function say(text: string): Promise<void> {
  const shown = isatty(1) ? plain(text) : text;
  const output = createStdioTransport();
  output.write([shown]);
  await output.flush();
  output.close();
}

/** Sources of notices about files that are not used. */
const REFUSALS: ReadonlySet<string> = new Set(['context', 'trust']);

/** Returns the exit code: 0 when the run came to its end, 1 when it failed or was aborted. */
export async function runPrint(options: PrintOptions, tell: (line: string) => void): Promise<number> {
  const warn = (line: string) => tell(plain(line));
  // Asked now: later, descriptor 1 is another one. A file or a pipe gets the answer as it is.
  const forReader = isatty(1) ? plain : (text: string) => text;
  // Before any code of an extension runs: stdout is for the answer, or for events.
  guardStdout();
  const started = await start(options, warn);
  const { agent, ports } = started;
  const input = await gatherInput(wordsOf(options, started), { ports, cwd: started.cwd, warn });
  if (input.message.trim() === '') {
    await started.close();
    throw new Fault(
      'config',
      'Nothing to do: give a message, pipe one in, or serve a host with --mode rpc. See --help.',
    );
  }
  const output = createStdioTransport();
  const shutdown = createShutdown(ports, async () => {
    await started.close();
    await output.flush();
  });
  void output.broken.then(() => shutdown.leave(0));
  // Without a model the prompt below is refused, and the refusal says why.
  if (agent.session.models.current && agent.modelNotice) warn(agent.modelNotice.message);
  let spent: string | undefined;
  const isSilent = options.mode !== 'json' && !process.stderr.isTTY;
  agent.session.subscribe((event) => {
    if (event.type === 'budget_exceeded' && event.scope === 'session') spent = event.snapshot.reason;
    // Files of the project that are not used are reported also where nothing else of the progress is shown.
    if (isSilent && event.type === 'notice' && REFUSALS.has(event.source ?? '')) warn(event.message);
  });
  const report =
    options.mode === 'json' ? reportEvents(started, output, options) : reportText(started, output, { forReader, warn });
  await started.introduceProject(options.mode === 'json' ? undefined : ({ message }) => warn(message));
  await agent.session.runs.prompt({ ...input, accepted: () => {} });
  // Told to go: nobody waits for the answer that was cut off.
  const code = shutdown.isLeaving ? FAILURE : report.end(agent.session.history.messages(), warn);
  if (spent) warn(`Error: Session budget exceeded (${spent})`);
  return shutdown.leave(spent ? FAILURE : code);
}

/** A flag that no one here knows takes the word behind it, until an extension says that it is a switch. */
function wordsOf(options: PrintOptions, { agent }: Started): Pick<PrintOptions, 'messages' | 'files'> {
  const flags = [...agent.extensions.flags].filter(([, { type }]) => type === 'boolean');
  return (flags.length > 0 && options.reread?.(new Set(flags.map(([name]) => name)))) || options;
}

interface Report {
  end(messages: readonly AgentMessage[], warn: (line: string) => void): number;
}

/** The answer on stdout when it is whole; what goes on meanwhile on stderr, where a person looks. */
function reportText(
  started: Started,
  output: Output,
  { forReader, warn: tell }: { forReader(text: string): string; warn(line: string): void },
): Report {
  const progress = createProgress();
  started.agent.session.subscribe((event) => {
    progress.show(event);
    // A message that was accepted and not run is reported to scripts too.
    if (!progress.isShown && event.type === 'notice' && event.source === 'queue') tell(event.message);
  });
  return {
    end(messages, warn) {
      progress.end();
      const answer = lastAnswer(messages);
      const text = forReader(answer ? textOf(answer.content) : '');
      if (text !== '') output.write([text.endsWith('\n') ? text : `${text}\n`]);
      return verdict(answer, warn);
    },
  };
}

/** The session's header, then every event as the default dialect spells it. */
function reportEvents({ agent }: Started, output: Output, options: PrintOptions): Report {
  const codec = omp.codec({ version: version(), stream: options.stream ?? 'full' });
  const { session } = agent;
  output.write([`${toJson(session.header)}\n`]);
  session.subscribe((event) => {
    const frame = codec.event(event);
    if (!frame || output.write(frame.chunks)) return undefined;
    return output.flush();
  });
  return { end: (messages, warn) => verdict(lastAnswer(messages), warn) };
}

function lastAnswer(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  return messages.findLast((message): message is AssistantMessage => message.role === 'assistant');
}

function verdict(answer: AssistantMessage | undefined, warn: (line: string) => void): number {
  if (answer && answer.stopReason !== 'error' && answer.stopReason !== 'aborted') return 0;
  warn(`Error: ${answer?.errorMessage ?? 'the run ended without an answer'}`);
  return FAILURE;
}
