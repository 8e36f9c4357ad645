// The server's table says of every command what its declaration says, whether that is loaded or not.
import { expect, test } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { commandTable } from '../../src/commands/table.ts';
import type { Command } from '../../src/contracts/index.ts';

const declared = commands as readonly unknown[] as readonly Command[];

test('nothing is missing, and nothing is there that nobody declared', () => {
  expect([...commandTable.keys()].sort()).toEqual(declared.map(({ name }) => name).sort());
});

test.each(declared.map((command) => [command.name, command] as const))('%s', (name, { lane, long = false }) => {
  const { lane: road, long: slow = false } = commandTable.get(name) as Command;
  expect({ lane: road, long: slow }).toEqual({ lane, long });
});
