// First floor, commands: shell commands that the host runs itself.
import { boolean, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';
import { bashResult } from '../protocol/index.ts';

export const bash = command({
  name: 'bash',
  doc: 'Run a shell command in the working directory. Its output reaches the model with the next prompt. Several may run at once.',
  lane: 'run',
  params: object({ command: string(), excludeFromContext: optional(boolean()) }),
  result: bashResult,
  examples: [{ command: 'git status --short' }],
  async run({ command: line, ...options }, { session, id, accept }) {
    if (!line.trim()) throw new Fault('invalid_params', 'command cannot be empty');
    const done = session.shell.run(line, { ...options, id });
    accept();
    return await done;
  },
});

export const abortBash = command({
  name: 'abort_bash',
  doc: 'Stop every command that `bash` is running. The model’s own bash calls are stopped by `abort`.',
  lane: 'now',
  params: object({}),
  async run(_, { session }) {
    session.shell.abort();
  },
});
