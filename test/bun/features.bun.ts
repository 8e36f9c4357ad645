// Runs the features with lazily loaded files in the built program on Bun.
import { expect, inject, test } from 'vitest';
import { tryDatabase } from '../process/features/database.ts';
import { runtimeOptions } from '../process/features/feature-program.ts';
import { tryHostCommands } from '../process/features/host-commands.ts';
import { tryMcp } from '../process/features/mcp.ts';
import { tryModelApis } from '../process/features/model-apis.ts';
import { trySandbox } from '../process/features/sandbox.ts';
import { tryServer } from '../process/features/server.ts';
import { trySessions } from '../process/features/sessions.ts';
import { trySignIns } from '../process/features/sign-ins.ts';
import { trySubcommands } from '../process/features/subcommands.ts';
import { tryTelemetry } from '../process/features/telemetry.ts';
import { tryWorkers } from '../process/features/workers.ts';
import { findEmptyExports } from '../support/chunk-recorder.ts';

const bun = process.env.BUN || 'bun';
runtimeOptions.runtime = bun;

trySubcommands();
tryModelApis();
tryMcp();
trySessions();
tryHostCommands();
trySandbox();
tryServer();
trySignIns();
tryTelemetry();
tryDatabase();
tryWorkers();

test('every lazily loaded file loads, and all of its exports are defined', () => {
  expect(findEmptyExports(inject('program'), bun)).toEqual([]);
});
