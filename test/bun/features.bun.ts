// Runs the features with lazily loaded files in the built program on Bun.
import { expect, inject, test } from 'vitest';
import { tryModelApis } from '../process/features/model-apis.ts';
import { trySessions } from '../process/features/sessions.ts';
import { trySignIns } from '../process/features/sign-ins.ts';
import { chosen } from '../process/features/started.ts';
import { trySubcommands } from '../process/features/subcommands.ts';
import { emptyExports } from '../support/chunk-recorder.ts';

const bun = process.env.BUN || 'bun';
chosen.runtime = bun;

trySubcommands();
tryModelApis();
trySessions();
trySignIns();

test('every lazily loaded file loads, and all of its exports are defined', () => {
  expect(emptyExports(inject('program'), bun)).toEqual([]);
});
