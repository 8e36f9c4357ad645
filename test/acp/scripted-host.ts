// A host whose program uses a model of a loopback provider with scripted answers.
import { createDeferred } from '../../src/base/index.ts';
import { CHAT_MODEL_FLAGS, type ChatProvider, type ChatReply, startChatProvider } from '../support/chat-provider.ts';
import { type AcpHost, type HostOptions, startHost } from './acp-host.ts';

export interface ScriptedHost {
  readonly provider: ChatProvider;
  readonly host: AcpHost;
  /** A session in the directory of the program. */
  readonly sessionId: string;
}

/** `model` has the fields of the model in models.json. */
export interface ScriptedHostOptions extends HostOptions {
  readonly model?: Record<string, unknown>;
  readonly replies?: readonly ChatReply[];
  /** Called with the directories of the program before it starts. */
  readonly prepare?: (directories: { home: string; cwd: string }) => void;
}

export async function startScriptedHost(options: ScriptedHostOptions = {}): Promise<ScriptedHost> {
  const { model, replies = [], prepare, args = [], ...rest } = options;
  const provider = await startChatProvider();
  provider.add(...replies);
  const directories = provider.createDirectories(model);
  prepare?.(directories);
  const host = await startHost({ directories, args: [...CHAT_MODEL_FLAGS, ...args], ...rest });
  const { sessionId } = await host.open();
  return { provider, host, sessionId };
}

export const call = (name: string, args: Record<string, unknown>): ChatReply => ({
  calls: [{ name, arguments: args }],
});

/** An answer that is sent when `release` is called. */
export function createHeldReply(reply: ChatReply): { reply: ChatReply; release(): void } {
  const gate = createDeferred<void>();
  return { reply: { ...reply, after: gate.promise }, release: () => gate.resolve() };
}
