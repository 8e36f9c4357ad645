// The handlers of the keywords of a transcript.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ports } from '../contracts/index.ts';
import type { MemoryHost } from '../transports/memory-transport.ts';
import type { FakeClock } from './fake-clock.ts';
import type { FrameReader } from './frame-reader.ts';
import type { Matcher } from './matcher.ts';
import type { ScenarioAgent } from './scenario-agent.ts';
import { runInShell, writeProjectFile } from './scenario-project.ts';
import { SCRIPTED_ANSWER_FIELDS, type ScriptedModels } from './scripted-models.ts';
import type { ScriptedTools } from './scripted-tools.ts';
import { type Keyword, parseFields } from './transcript.ts';

/** An agent that is being served, with its host and everything that is scripted. */
export interface RunningScenario {
  readonly cwd: string;
  readonly ports: Ports;
  readonly clock: FakeClock;
  readonly models: ScriptedModels;
  readonly tools: ScriptedTools;
  readonly agent: ScenarioAgent;
  readonly host: MemoryHost;
  readonly frames: FrameReader;
  readonly matcher: Matcher;
  /** Resolves when the agent has exited. */
  readonly served: Promise<void>;
}

type StepHandler = (argument: string) => Promise<void> | void;
type StepHandlers<K extends Keyword = Keyword> = Readonly<Record<K, StepHandler>>;

/** Keywords that are evaluated before the agent starts. */
const startHandlers = {
  option: () => {},
  'setup-file': () => {},
  extension: () => {},
  tool: () => {},
  'available-model': () => {},
  'scoped-models': () => {},
};

export function createStepHandlers(scenario: RunningScenario): StepHandlers {
  return {
    ...startHandlers,
    ...createFrameHandlers(scenario),
    ...createScriptHandlers(scenario),
    ...createFileHandlers(scenario),
    ...createWaitHandlers(scenario),
  };
}

function createFrameHandlers({ host, frames, matcher }: RunningScenario): StepHandlers<'>' | '>>' | '<' | '<~' | '<!'> {
  return {
    '>': (argument) => host.send(matcher.substituteCaptures(argument)),
    '>>': (argument) => host.send(new TextEncoder().encode(JSON.parse(argument))),
    '<': async (argument) => assertMatches(matcher, JSON.parse(argument), await frames.next()),
    '<~': async (argument) => {
      const expected: unknown = JSON.parse(argument);
      for (;;) if (matchesSubset(matcher, expected, await frames.next())) return;
    },
    '<!': (argument) => {
      const match = frames.all.find((frame) => matchesSubset(matcher, JSON.parse(argument), frame));
      if (match) throw new Error(`unexpected frame: ${JSON.stringify(match)}`);
    },
  };
}

function createScriptHandlers({
  models,
  tools,
  clock,
  matcher,
}: RunningScenario): StepHandlers<'model' | 'release' | 'expect-request' | 'advance-clock'> {
  return {
    model: (argument) => models.add(parseFields(argument, SCRIPTED_ANSWER_FIELDS)),
    release: (argument) => {
      models.release(argument);
      tools.release(argument);
    },
    'expect-request': (argument) => assertMatches(matcher, JSON.parse(argument), models.requests.at(-1), true),
    'advance-clock': (argument) => clock.advance(Number(argument)),
  };
}

function createFileHandlers({
  cwd,
  ports,
  agent,
  matcher,
}: RunningScenario): StepHandlers<'write-file' | 'shell' | 'expect-file' | 'expect-log'> {
  return {
    'write-file': (argument) => writeProjectFile(cwd, argument),
    shell: (argument) => runInShell(ports, cwd, argument),
    async 'expect-file'(argument) {
      const [path = ''] = argument.split(' ', 1);
      assertMatches(matcher, JSON.parse(argument.slice(path.length)), await readFile(join(cwd, path), 'utf8'));
    },
    async 'expect-log'(argument) {
      const lines = await readSessionLog(agent);
      if (!lines.some((line) => matchesSubset(matcher, JSON.parse(argument), line)))
        throw new Error(`no matching line in the session log:\n${lines.map((l) => JSON.stringify(l)).join('\n')}`);
    },
  };
}

function createWaitHandlers({
  agent,
  host,
  frames,
  served,
}: RunningScenario): StepHandlers<'wait-idle' | 'expect-no-more-frames' | 'close-input' | 'wait-exit'> {
  let syncCallCount = 0;
  const waitForSyncCalls = async () => {
    for (const call of agent.createSyncCalls()) {
      const id = `sync-${++syncCallCount}`;
      host.send(JSON.stringify(call(id)));
      await frames.seek((frame) => JSON.stringify(frame).includes(id));
    }
  };
  /** Syncs before, so that sent lines are processed, and after, so that the last frames are received. */
  const waitUntilIdle = async () => {
    await waitForSyncCalls();
    await agent.hub.waitUntilSettled();
    await waitForSyncCalls();
  };
  return {
    'wait-idle': waitUntilIdle,
    async 'expect-no-more-frames'() {
      await waitUntilIdle();
      if (frames.unread.length > 0) throw new Error(`unread: ${JSON.stringify(frames.unread[0])}`);
    },
    async 'close-input'() {
      host.end();
      await served;
    },
    async 'wait-exit'() {
      await served;
    },
  };
}

function matchesSubset(matcher: Matcher, expected: unknown, actual: unknown): boolean {
  return !matcher.findDifference(expected, actual, { subset: true });
}

function assertMatches(matcher: Matcher, expected: unknown, actual: unknown, subset = false): void {
  const path = matcher.findDifference(expected, actual, { subset });
  if (path !== undefined) throw new Error(`differs at ${path}:\n  ${JSON.stringify(actual)}`);
}

async function readSessionLog(agent: ScenarioAgent): Promise<unknown[]> {
  const text = await readFile(agent.session?.file ?? '', 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
