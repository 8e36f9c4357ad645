// Starts the built program for the feature tests, with the runtime and the environment that a test file sets.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Program, ProgramDirectories, ProgramOptions } from '../../support/program.ts';
import * as programs from '../../support/program.ts';

/** Set by a test file before its tests run. */
export const runtimeOptions: { runtime?: string; env: Readonly<Record<string, string>> } = { env: {} };

export const OFFLINE = ['--provider', 'parley', '--model', 'offline'];

export const withRuntime = (options: ProgramOptions): ProgramOptions => ({
  ...options,
  ...(runtimeOptions.runtime === undefined ? {} : { runtime: runtimeOptions.runtime }),
  env: { ...runtimeOptions.env, ...options.env },
});

export const startRpc = (args: readonly string[], options: ProgramOptions = {}) =>
  programs.startRpc(args, withRuntime(options));

export const runProgram = (args: readonly string[], input = '', options: ProgramOptions = {}) =>
  programs.runProgram(args, input, withRuntime(options));

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export async function promptAndSettle(program: Program, message: string) {
  program.send({ type: 'prompt', message });
  return program.nextFrame({ type: 'agent_settled' });
}

/** Answers dialogs and host tool calls until the run ends. Returns the titles of the dialogs and the names of the tools. */
export async function promptAndAnswer(
  program: Program,
  answer: (asked: Record<string, unknown>) => object,
): Promise<unknown[]> {
  const titles: unknown[] = [];
  const types = ['extension_ui_request', 'host_tool_call', 'agent_settled'];
  for (;;) {
    const asked = await program.nextFrame(({ type }) => types.includes(type));
    if (asked.type === 'agent_settled') return titles;
    titles.push(asked.title ?? asked.toolName);
    program.send({ ...answer(asked), id: asked.id });
  }
}

export async function closeProgram(program: Program) {
  program.stdin.end();
  const outcome = await program.exited;
  expect(outcome.code).toBe(0);
  return outcome;
}

/** Creates a session with one prompt. */
export async function createSession(
  programDirectories: ProgramDirectories,
  message = 'Say hello',
  env: Readonly<Record<string, string>> = {},
): Promise<{ id: string; file: string }> {
  const program = startRpc(OFFLINE, { directories: programDirectories, env });
  await promptAndSettle(program, message);
  const { data } = await program.call({ type: 'get_state' });
  await closeProgram(program);
  const { sessionId: id, sessionFile: file } = data as { sessionId: string; sessionFile: string };
  return { id, file };
}
