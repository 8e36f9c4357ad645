// The hall, testing: what each word of a transcript does. Real tools, files and log; scripted models, ids and clock.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentOptions } from '../app/compose.ts';
import { defaultSettings } from '../app/settings-table.ts';
import { createSystemPorts } from '../app/system-ports/index.ts';
import type { Ports } from '../contracts/index.ts';
import { dialectNamed } from '../dialects/index.ts';
import type { Model } from '../protocol/index.ts';
import { serve } from '../server/index.ts';
import { createMemoryTransport } from '../transports/index.ts';
import { createCountingIds } from './counting-ids.ts';
import { createFakeClock } from './fake-clock.ts';
import { createFrameReader } from './frame-reader.ts';
import { createMatcher } from './pattern.ts';
import { openMany, openOne } from './scenario-house.ts';
import { createScriptedModels, scriptedModel } from './scripted-model.ts';
import { createScriptedTools } from './scripted-tool.ts';
import type { Step } from './step.ts';

export interface ScenarioOptions {
  /** An empty directory: the project is `work` inside it, the agent's own files are in `home`. */
  directory: string;
  dialect: string;
}

export interface Stage {
  play(step: Step): Promise<void>;
  close(): Promise<void>;
}

interface StartOptions extends Partial<Omit<AgentOptions, 'settings'>> {
  settings?: Partial<AgentOptions['settings']>;
  stream?: 'full' | 'delta';
  onEof?: 'finish' | 'abort';
  lineLimit?: number;
  /** How it was decided that the project is not trusted. */
  because?: 'said' | 'remembered' | 'changed' | 'open';
}

export async function setStage(steps: readonly Step[], options: ScenarioOptions): Promise<Stage> {
  const cwd = join(options.directory, 'project');
  await mkdir(cwd, { recursive: true });
  for (const { rest } of steps.filter((step) => step.word === 'given')) await put(cwd, rest);
  const start = Object.assign({}, ...wordsOf(steps, 'option')) as StartOptions;
  await writeExtensions(steps, join(options.directory, 'home', 'extensions'));
  const clock = createFakeClock();
  const ports: Ports = { ...createSystemPorts({}), clock, ids: createCountingIds() };
  const models = createScriptedModels([], { now: () => clock.now(), ...cast(steps) });
  const tools = createScriptedTools(wordsOf(steps, 'tool'));
  const dialect = await dialectNamed(options.dialect);
  const agentOptions: AgentOptions = {
    cwd,
    agentDirectory: join(options.directory, 'home'),
    home: join(options.directory, 'user'),
    env: {},
    ports,
    models,
    tools: tools.tools,
    ...start,
    settings: { ...defaultSettings, ...dialect.settings, ...start.settings },
  };
  const house = dialect.manySessions ? openMany(agentOptions) : await openOne(agentOptions, start.because ?? 'open');
  const { transport, host } = createMemoryTransport(start.lineLimit ? { lineLimit: start.lineLimit } : {});
  const served = serve({
    transport,
    codec: dialect.codec({ version: '0.0.0', stream: start.stream ?? 'full' }),
    commands: house.commands,
    hub: house.hub,
    ports,
    onEof: start.onEof ?? 'finish',
  }).finally(() => transport.close());
  house.introduce();

  const frames = createFrameReader(() => host.next());
  const matcher = createMatcher();
  const fits = (expected: unknown, frame: unknown) => !matcher.difference(expected, frame, { subset: true });
  const mustFit = (expected: unknown, actual: unknown, subset = false) => {
    const path = matcher.difference(expected, actual, { subset });
    if (path !== undefined) throw new Error(`differs at ${path}:\n  ${JSON.stringify(actual)}`);
  };
  let settles = 0;
  /** Before it, because what was just sent may still be on its way in; after it, because its last words may be on their way out. */
  const settle = async () => {
    await roundTrip();
    await house.hub.settled();
    await roundTrip();
  };
  const roundTrip = async () => {
    for (const call of house.roundTrips()) {
      const id = `settle-${++settles}`;
      host.send(JSON.stringify(call(id)));
      await frames.seek((frame) => JSON.stringify(frame).includes(id));
    }
  };
  const log = async (): Promise<unknown[]> => {
    const text = await readFile(house.session?.file ?? '', 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  const words: Record<string, (rest: string) => Promise<void> | void> = {
    '>': (rest) => host.send(matcher.fill(rest)),
    '>>': (rest) => host.send(new TextEncoder().encode(JSON.parse(rest))),
    '<': async (rest) => mustFit(JSON.parse(rest), await frames.next()),
    '<~': async (rest) => {
      const expected: unknown = JSON.parse(rest);
      for (;;) if (fits(expected, await frames.next())) return;
    },
    '<!': (rest) => {
      const found = frames.all.find((frame) => fits(JSON.parse(rest), frame));
      if (found) throw new Error(`there was ${JSON.stringify(found)}`);
    },
    model: (rest) => models.add(JSON.parse(rest)),
    release: (rest) => {
      models.release(rest);
      tools.release(rest);
    },
    given: () => {},
    file: (rest) => put(cwd, rest),
    run: (rest) => runInShell(ports, cwd, rest),
    async read(rest) {
      const [path = ''] = rest.split(' ', 1);
      mustFit(JSON.parse(rest.slice(path.length)), await readFile(join(cwd, path), 'utf8'));
    },
    async disk(rest) {
      const lines = await log();
      if (!lines.some((line) => fits(JSON.parse(rest), line)))
        throw new Error(`not in:\n${lines.map((l) => JSON.stringify(l)).join('\n')}`);
    },
    asked: (rest) => mustFit(JSON.parse(rest), models.requests.at(-1), true),
    clock: (rest) => clock.advance(Number(rest)),
    settle,
    async quiet() {
      await settle();
      if (frames.unread.length > 0) throw new Error(`unread: ${JSON.stringify(frames.unread[0])}`);
    },
    async eof() {
      host.end();
      await served;
    },
    async gone() {
      await served;
    },
    option: () => {},
    cast: () => {},
    scope: () => {},
    tool: () => {},
    extension: () => {},
  };

  return {
    async play(step) {
      const word = words[step.word];
      if (!word) throw new Error(`unknown word ${step.word}`);
      await word(step.rest);
    },
    async close() {
      host.end();
      await house.close();
      await served;
    },
  };
}

/** `path "text"`; the user's own directory is `../home`. */
async function put(cwd: string, rest: string): Promise<void> {
  const [path = ''] = rest.split(' ', 1);
  await mkdir(dirname(join(cwd, path)), { recursive: true });
  await writeFile(join(cwd, path), JSON.parse(rest.slice(path.length)));
}

/** Where the agent looks for the user's own. */
async function writeExtensions(steps: readonly Step[], folder: string): Promise<void> {
  for (const { word, rest, text = '' } of steps) {
    if (word !== 'extension') continue;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, rest), text);
  }
}

function wordsOf<T>(steps: readonly Step[], word: string): T[] {
  return steps.filter((step) => step.word === word).map((step) => JSON.parse(step.rest) as T);
}

/** The models of the story; each line names what is different about one. */
function cast(steps: readonly Step[]): { models?: Model[]; scope?: Model[] } {
  const models = wordsOf<Partial<Model>>(steps, 'cast').map((model) => ({ ...scriptedModel, ...model }));
  const named = wordsOf<string[]>(steps, 'scope').flat();
  const scope = models.filter((model) => named.includes(model.id));
  return { ...(models.length > 0 ? { models } : {}), ...(scope.length > 0 ? { scope } : {}) };
}

/** Who commits does not matter to any story; the machine's own settings must not either. */
const NOBODY = {
  GIT_AUTHOR_NAME: 'Nobody',
  GIT_AUTHOR_EMAIL: 'nobody@localhost',
  GIT_COMMITTER_NAME: 'Nobody',
  GIT_COMMITTER_EMAIL: 'nobody@localhost',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

async function runInShell({ processes, toolEnv }: Ports, cwd: string, command: string): Promise<void> {
  const said: Uint8Array[] = [];
  const { finished } = await processes.spawn({
    command: 'sh',
    args: ['-c', command],
    cwd,
    env: { ...toolEnv, ...NOBODY },
    onOutput: (chunk) => void said.push(chunk),
  });
  const { code } = await finished;
  if (code !== 0) throw new Error(`exit code ${code}: ${Buffer.concat(said)}`);
}
