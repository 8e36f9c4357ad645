// Commands that run and stop shell commands for the host.
import { boolean, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';
import { bashResult } from '../protocol/index.ts';

export const bash = command({
  name: 'bash',
  doc: 'Run a shell command in the working directory. Its output is added to the context with the next prompt. Several commands can run at the same time.',
  lane: 'run',
  params: object({ command: string(), excludeFromContext: optional(boolean()) }),
  result: bashResult,
  examples: [{ command: 'git status --short' }],
  async run({ command: line, ...options }, { session, id, accept }) {
    if (!line.trim()) throw new Fault('invalid_params', 'command cannot be empty');
    const result = session.shell.run(line, { ...options, id });
    accept();
    return await result;
  },
});

export const abortBash = command({
  name: 'abort_bash',
  doc: 'Stop all commands that were started with `bash`. The bash tool calls of the model are stopped with `abort`.',
  lane: 'now',
  params: object({}),
  async run(_, { session }) {
    session.shell.abort();
  },
});
