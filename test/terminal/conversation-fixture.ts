// For tests of the terminal: a conversation with a fake agent on an emulated terminal.
import { onTestFinished } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { Tty, TtyHandlers } from '../../src/contracts/tty.ts';
import { runConversation, type TerminalPorts } from '../../src/terminal/index.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { createFakeAgent, type FakeAgentTransport } from '../client/fake-agent-transport.ts';
import { TerminalEmulator } from './terminal-emulator.ts';

export const STATE = {
  model: { provider: 'some', id: 'model', api: 'x', name: 'Model' },
  ...{
    thinkingLevel: 'off',
    isStreaming: false,
    isCompacting: false,
    sessionId: 'abc',
    trusted: false,
    messageCount: 0,
  },
};
export const STATS = { cost: 0, tokens: { total: 0 }, totalMessages: 0, toolCalls: 0 };

const PROVIDERS = [
  { id: 'anthropic', name: 'Anthropic', acceptsKey: true, hasCredential: false, isStored: false },
  { id: 'openai', name: 'OpenAI', acceptsKey: true, hasCredential: true, isStored: true },
];

export const REPLIES: Readonly<Record<string, object>> = {
  get_state: STATE,
  get_session_stats: STATS,
  get_messages: { messages: [] },
  get_commands: { commands: [] },
  clear_queue: { steering: ['queued'], followUp: [] },
};

export interface ConversationFixture {
  readonly agent: FakeAgentTransport;
  readonly terminal: TerminalEmulator;
  readonly clock: ReturnType<typeof createFakeClock>;
  /** The changes of auth.json. */
  readonly savedKeys: string[];
  type(keys: string): Promise<void>;
  /** Names of the commands that the agent received. */
  listCalls(): unknown[];
  readonly ended: Promise<unknown>;
}

/** What differs when the agent runs elsewhere. */
interface RemoteFixture {
  /** Sent before the first reply. */
  readonly frames: readonly object[];
  readonly ports: Partial<TerminalPorts>;
}

export async function startConversation(
  replies: Readonly<Record<string, object>> = REPLIES,
  env: Readonly<Record<string, string>> = {},
  remote?: RemoteFixture,
): Promise<ConversationFixture> {
  const savedKeys: string[] = [];
  const agent = createFakeAgent(({ id, type }, fakeAgent) => {
    if (type === 'extension_ui_response') return;
    fakeAgent.send({ type: 'response', id, command: type, success: true, data: replies[String(type)] ?? {} });
  });
  const terminal = new TerminalEmulator(60, 20);
  const clock = createFakeClock();
  let handlers: TtyHandlers | undefined;
  const tty: Tty = {
    columns: 60,
    rows: 20,
    write: (text) => terminal.write(text),
    acquire: (newHandlers) => {
      handlers = newHandlers;
    },
    release() {},
    suspend() {},
    releaseDuring: (action) => action(),
  };
  const files = { read: async () => new Uint8Array(), replace: async () => {}, makeDirectory: async () => {} };
  const stop = new AbortController();
  const ended = runConversation({
    ...{
      client: createClient(agent),
      tty,
      clock,
      env,
      version: '1',
      shouldChooseSession: false,
      stopSignal: stop.signal,
    },
    history: { files, directory: '/project/history', path: undefined },
    editText: async (text) => `${text}, edited`,
    credentials: {
      listProviders: async () => PROVIDERS,
      saveKey: async (provider, key) => void savedKeys.push(`${provider} ${key}`),
      remove: async (provider) => void savedKeys.push(`removed ${provider}`),
    },
    directory: '~/project',
    readBranch: async () => 'main',
    listDirectory: async () => [],
    async listFiles(onFile) {
      for (const path of ['src/index.ts', 'my notes/read me.md']) onFile(path);
    },
    listSessions: async () => [],
    onStderr() {},
    ...remote?.ports,
  });
  agent.send(...(remote?.frames ?? []));
  onTestFinished(() => stop.abort());
  await agent.waitUntilRead();
  await clock.advance(1);
  return {
    ...{ agent, terminal, clock, ended, savedKeys },
    listCalls: () => agent.written.map(({ type }) => type),
    async type(keys) {
      handlers?.onInput(new TextEncoder().encode(keys));
      await agent.waitUntilRead();
      await clock.advance(1);
    },
  };
}
