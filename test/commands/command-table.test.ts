// The command table of the server matches the declarations of the commands, also of those that are loaded later.
import { expect, test } from 'vitest';
import { commandTable } from '../../src/commands/command-table.ts';
import { commands } from '../../src/commands/index.ts';
import type { Command } from '../../src/contracts/index.ts';

const declared = commands as readonly unknown[] as readonly Command[];

test('the table contains exactly the declared commands', () => {
  expect([...commandTable.keys()].sort()).toEqual(declared.map(({ name }) => name).sort());
});

test.each(declared.map((command) => [command.name, command] as const))(
  '%s has the declared lane',
  (name, { lane, long = false }) => {
    const entry = commandTable.get(name) as Command;
    expect({ lane: entry.lane, long: entry.long ?? false }).toEqual({ lane, long });
  },
);
