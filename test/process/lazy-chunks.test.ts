// Every lazily loaded file of the built program must be loaded by a test of a feature. A new file without such a test fails here.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { createChunkRecorder, findEmptyExports, listChunks } from '../support/chunk-recorder.ts';
import { tryDatabase } from './features/database.ts';
import { runtimeOptions } from './features/feature-program.ts';
import { tryHostCommands } from './features/host-commands.ts';
import { tryMcp } from './features/mcp.ts';
import { tryModelApis } from './features/model-apis.ts';
import { trySandbox } from './features/sandbox.ts';
import { tryServer } from './features/server.ts';
import { trySessions } from './features/sessions.ts';
import { trySignIns } from './features/sign-ins.ts';
import { trySubcommands } from './features/subcommands.ts';
import { tryTelemetry } from './features/telemetry.ts';
import { tryTerminal } from './features/terminal.ts';
import { tryWorkers } from './features/workers.ts';

const directory = mkdtempSync(join(tmpdir(), 'parley-chunks-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const recorder = createChunkRecorder(directory);
runtimeOptions.env = recorder.env;

trySubcommands();
tryModelApis();
tryMcp();
trySessions();
tryHostCommands();
trySandbox();
tryServer();
trySignIns();
tryTelemetry();
tryTerminal();
tryDatabase();
tryWorkers();

test('every lazily loaded file was loaded', () => {
  const opened = recorder.listLoaded();
  const missing = listChunks(inject('program')).filter((name) => !opened.has(name));
  expect(missing, 'Use the feature behind these files in test/process/features').toEqual([]);
});

test('every lazily loaded file loads alone, and all of its exports are defined', () => {
  expect(findEmptyExports(inject('program'), process.execPath)).toEqual([]);
});
