// The client repeats calls after a broken connection by their names. The names must agree with the declarations.
import { expect, test } from 'vitest';
import { isConnectionCommand, isReadCommand } from '../../src/client/read-commands.ts';
import { commands } from '../../src/commands/index.ts';
import { multiSessionCommands } from '../../src/commands/multi-session/index.ts';
import type { Command } from '../../src/contracts/index.ts';

const all: readonly Pick<Command, 'name' | 'access'>[] = [...commands, ...multiSessionCommands];

test('only commands that change nothing are repeated', () => {
  expect(all.filter(({ name, access }) => isReadCommand(name) && access !== 'read')).toEqual([]);
});

test('the settings of a connection are commands', () => {
  const names = all.map(({ name }) => name).filter(isConnectionCommand);
  expect(names.sort()).toEqual([
    ...['set_event_filter', 'set_host_tools', 'set_host_uri_schemes', 'set_subagent_subscription'],
  ]);
});
