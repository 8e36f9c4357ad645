// For tests of sudden ends: one life of the program with a busy run in it, ended at a random frame, and what it had promised.
import { isDeepStrictEqual } from 'node:util';
import { KEY, type LoopbackServer, type Reply } from '../llm/servers/anthropic-messages.ts';
import type { WireFrame } from './frame-inbox.ts';
import { type Place, type Program, startRpc } from './program.ts';
import { sessionFiles } from './session-files.ts';

/** Numbers between 0 and 1, the same ones for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What a host was told before the end. */
export interface Promised {
  /** Texts of prompts and queued messages that were acknowledged. */
  readonly acknowledged: readonly string[];
  /** Messages whose end was told. */
  readonly ended: readonly unknown[];
  readonly frames: number;
}

const FLAGS = ['--model', 'anthropic/claude-sonnet-4-5', '--thinking', 'low', '--stream', 'delta'];

/** A run with thoughts, two calls in a turn, a call alone, and a last word. Every part arrives in pieces. */
function busyRun(name: string): Reply[] {
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

function start(server: LoopbackServer, place: Place, session: 'new' | 'last'): Program {
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
  return startRpc([...FLAGS, ...(session === 'last' ? ['--continue'] : [])], { place, env });
}

/** Runs until so many frames have come, or the run is over, and then kills. */
export async function crash(
  server: LoopbackServer,
  place: Place,
  { name, session, afterFrames }: { name: string; session: 'new' | 'last'; afterFrames: number },
): Promise<Promised> {
  server.reply(...busyRun(name));
  const program = start(server, place, session);
  program.send({ id: 'p', type: 'prompt', message: `prompt ${name}` });
  program.send({ id: 'f', type: 'follow_up', message: `queued ${name}` });
  let seen = 0;
  await program.frame((frame) => {
    seen += 1;
    const enough = seen >= afterFrames || frame.type === 'agent_settled';
    // In the same breath as the line is read: nothing of the program runs in between.
    if (enough) program.kill('SIGKILL');
    return enough;
  });
  await program.ended;
  // What was in the pipe was told, too.
  return promisedIn(program.frames, { p: `prompt ${name}`, f: `queued ${name}` });
}

function promisedIn(frames: readonly WireFrame[], texts: Readonly<Record<string, string>>): Promised {
  const acknowledged = frames.flatMap(({ type, id, success }) =>
    type === 'response' && success === true ? (texts[String(id)] ?? []) : [],
  );
  const ended = frames.flatMap((frame) => (frame.type === 'message_end' ? [frame.message] : []));
  return { acknowledged, ended, frames: frames.length };
}

/** What of it the disk does not have. */
export function missing(promised: Promised, entries: readonly Record<string, unknown>[]): unknown[] {
  const log = entries.map((entry) => JSON.stringify(entry)).join('\n');
  const kept = entries.map((entry) => entry.message);
  return [
    ...promised.acknowledged.filter((text) => !log.includes(JSON.stringify(text))),
    ...promised.ended.filter((message) => !kept.some((other) => isDeepStrictEqual(other, message))),
  ];
}

/** A program that goes on with the session: how its next prompt ended, and everything that waited delivered with it. */
export async function goOn(
  server: LoopbackServer,
  place: Place,
  name: string,
): Promise<{ stops: unknown[]; notices: unknown[] }> {
  const before = server.received.length;
  const word = { answer: { parts: [{ text: `Going on with ${name}.` }] } };
  server.reply(...Array.from({ length: 12 }, () => word));
  const program = start(server, place, 'last');
  program.send({ id: 'n', type: 'prompt', message: `next ${name}` });
  await program.frame({ type: 'agent_settled' });
  program.stdin.end();
  await program.ended;
  const answers = program.frames.flatMap(({ type, message }) => {
    const { role, stopReason, errorMessage } = (message ?? {}) as Record<string, unknown>;
    return type === 'message_end' && role === 'assistant' ? [errorMessage ?? stopReason] : [];
  });
  if (server.received.length === before) return { stops: ['nothing was asked'], notices: [] };
  return { stops: [...new Set(answers)], notices: program.frames.filter(({ type }) => type === 'notice') };
}

export function onlySession(place: Place): string {
  const files = sessionFiles(place.home);
  if (files.length !== 1) throw new Error(`One session was expected: ${files.join(', ')}`);
  return files[0] as string;
}
