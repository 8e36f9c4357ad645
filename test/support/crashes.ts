// Runs the program and kills it at a given frame. Collects what it had acknowledged until then.
import { isDeepStrictEqual } from 'node:util';
import { KEY, type LoopbackServer, type Reply } from '../llm/servers/anthropic-messages.ts';
import type { WireFrame } from './frame-collector.ts';
import { type Program, type ProgramDirectories, startRpc } from './program.ts';
import { listSessionFiles } from './session-files.ts';

/** Pseudo-random numbers between 0 and 1 for a seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What the host had received before the kill. */
export interface ReceivedMessages {
  /** Texts of prompts and queued messages that were acknowledged. */
  readonly acknowledged: readonly string[];
  /** Messages of `message_end` events. */
  readonly ended: readonly unknown[];
  readonly frames: number;
}

const FLAGS = ['--model', 'anthropic/claude-sonnet-4-5', '--thinking', 'low', '--stream', 'delta'];

/** A run with thinking, a turn with two calls, a turn with one call, and a last answer. Every part is streamed in pieces. */
function createLongRun(name: string): Reply[] {
  const call = (id: string, command: string) => ({
    call: `${name}_${id}`,
    name: 'bash',
    input: { command },
    pieces: 7,
  });
  const thought = { thinking: [`Thinking about ${name}, `, 'and about what to do.'] };
  return [
    {
      answer: { parts: [thought, { text: ['I will ', 'look.'] }, call('a', 'echo one'), call('b', 'echo two')] },
      pieces: 300,
    },
    { answer: { parts: [call('c', 'printf three')] }, pieces: 300 },
    { answer: { parts: [{ text: ['It is ', 'done ', `with ${name}.`] }] }, pieces: 200 },
    // For the message that was queued.
    { answer: { parts: [{ text: `And that as well, ${name}.` }] }, pieces: 200 },
  ];
}

function startProgram(
  server: LoopbackServer,
  programDirectories: ProgramDirectories,
  session: 'new' | 'last',
): Program {
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
  return startRpc([...FLAGS, ...(session === 'last' ? ['--continue'] : [])], { directories: programDirectories, env });
}

/** Kills the program after `afterFrames` frames, or when the run is over. */
export async function crashAtFrame(
  server: LoopbackServer,
  programDirectories: ProgramDirectories,
  { name, session, afterFrames }: { name: string; session: 'new' | 'last'; afterFrames: number },
): Promise<ReceivedMessages> {
  server.reply(...createLongRun(name));
  const program = startProgram(server, programDirectories, session);
  program.send({ id: 'p', type: 'prompt', message: `prompt ${name}` });
  program.send({ id: 'f', type: 'follow_up', message: `queued ${name}` });
  let count = 0;
  await program.nextFrame((frame) => {
    count += 1;
    const enough = count >= afterFrames || frame.type === 'agent_settled';
    // Kill synchronously when the line is read, without awaiting in between.
    if (enough) program.kill('SIGKILL');
    return enough;
  });
  await program.exited;
  // Frames that were still in the pipe count as received.
  return collectReceived(program.frames, { p: `prompt ${name}`, f: `queued ${name}` });
}

function collectReceived(frames: readonly WireFrame[], texts: Readonly<Record<string, string>>): ReceivedMessages {
  const acknowledged = frames.flatMap(({ type, id, success }) =>
    type === 'response' && success === true ? (texts[String(id)] ?? []) : [],
  );
  const ended = frames.flatMap((frame) => (frame.type === 'message_end' ? [frame.message] : []));
  return { acknowledged, ended, frames: frames.length };
}

/** The messages that are not in the session file. */
export function findMissingMessages(
  receivedMessages: ReceivedMessages,
  entries: readonly Record<string, unknown>[],
): unknown[] {
  const log = entries.map((entry) => JSON.stringify(entry)).join('\n');
  const stored = entries.map((entry) => entry.message);
  return [
    ...receivedMessages.acknowledged.filter((text) => !log.includes(JSON.stringify(text))),
    ...receivedMessages.ended.filter((message) => !stored.some((other) => isDeepStrictEqual(other, message))),
  ];
}

/** Resumes the session with a new prompt. Returns the stop reasons of all answers, including those to queued messages. */
export async function resumeWithPrompt(
  server: LoopbackServer,
  programDirectories: ProgramDirectories,
  name: string,
): Promise<{ stops: unknown[]; notices: unknown[] }> {
  const before = server.received.length;
  const word = { answer: { parts: [{ text: `Going on with ${name}.` }] } };
  server.reply(...Array.from({ length: 12 }, () => word));
  const program = startProgram(server, programDirectories, 'last');
  program.send({ id: 'n', type: 'prompt', message: `next ${name}` });
  await program.nextFrame({ type: 'agent_settled' });
  program.stdin.end();
  await program.exited;
  const answers = program.frames.flatMap(({ type, message }) => {
    const { role, stopReason, errorMessage } = (message ?? {}) as Record<string, unknown>;
    return type === 'message_end' && role === 'assistant' ? [errorMessage ?? stopReason] : [];
  });
  if (server.received.length === before) return { stops: ['no request was sent'], notices: [] };
  return { stops: [...new Set(answers)], notices: program.frames.filter(({ type }) => type === 'notice') };
}

export function findOnlySession(programDirectories: ProgramDirectories): string {
  const files = listSessionFiles(programDirectories.home);
  if (files.length !== 1) throw new Error(`One session was expected: ${files.join(', ')}`);
  return files[0] as string;
}
