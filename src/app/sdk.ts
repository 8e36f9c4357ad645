// SDK: runs an agent inside the calling program, without a protocol or a child process.

import { resolve } from 'node:path';
import type { AgentSession, EventListener, ModelRegistry, Ports, RunRequest } from '../contracts/index.ts';
import { selectModel } from '../llm/select-model.ts';
import type { AgentMessage } from '../protocol/index.ts';
import { listRules, resolveAgentDirectory, type SettingValues } from '../settings/index.ts';
import { homeDirectory } from '../support/home-directory.ts';
import { resolveWorkingDirectory } from '../support/working-directory.ts';
import { loadProjectSettings } from '../trust/index.ts';
import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';
import { overrideInitialModel } from './override-initial-model.ts';
import { createSystemPorts } from './system-ports/index.ts';

export { Fault, type FaultCode } from '../base/index.ts';
export {
  type AgentSession,
  type Artifacts,
  type EventListener,
  type Hooks,
  type ModelRegistry,
  type ModelRequest,
  type ModelStream,
  type Ports,
  type ResumedSession,
  type SessionLog,
  type SessionStore,
  type SessionSummary,
  type StoredSession,
  type Tool,
  type ToolContext,
  type ToolResult,
  tool,
  type UserInput,
} from '../contracts/index.ts';
export type {
  AgentEvent,
  AgentEventOf,
  AgentMessage,
  AssistantMessage,
  AssistantMessageEvent,
  ImageContent,
  Model,
  SessionEntry,
  SessionHeader,
  SessionState,
  SessionStats,
  TextContent,
  ThinkingLevel,
  ToolCall,
  Usage,
} from '../protocol/index.ts';
export { extractText } from '../protocol/index.ts';
export type { SettingValues } from '../settings/index.ts';
export { createMemoryStore, type MemoryLog } from '../store/index.ts';
export { version } from '../support/version.ts';
export { type AnswerPart, type CustomModelOptions, createCustomModel } from './custom-model.ts';

export interface AgentSessionOptions extends Partial<Omit<AgentOptions, 'settings' | 'ports' | 'inventory'>> {
  /** Override the values of the user's settings file. */
  settings?: Partial<SettingValues> | undefined;
  /** Replace single system ports. */
  ports?: Partial<Ports> | undefined;
  /** Called with each problem in the settings file (an invalid value is ignored), and when only the offline model can answer. */
  onProblem?: ((sentence: string) => void) | undefined;
}

export type Prompt = Omit<RunRequest, 'onAccepted'>;

export interface AgentSessionHandle {
  readonly session: AgentSession;
  /** Sends the same events as the protocol. The run awaits a promise that the listener returns. Returns an unsubscribe function. */
  subscribe(listener: EventListener): () => void;
  /** Returns all messages of the run, after automatic retries and queued messages are done. Throws a Fault when it is refused. */
  prompt(prompt: string | Prompt): Promise<AgentMessage[]>;
  /** Ends all runs and child processes and closes the session log. */
  close(): Promise<void>;
}

/** Creates an agent with the user's settings, in the current directory, unless the options override them. */
export async function createAgentSession(options: AgentSessionOptions = {}): Promise<AgentSessionHandle> {
  const { settings: settingOverrides, ports: portOverrides, onProblem, models, ...rest } = options;
  const agentDirectory = resolve(options.agentDirectory ?? resolveAgentDirectory(process.env, homeDirectory()));
  const system = createSystemPorts({ agentDirectory });
  // Copies getters as getters: `toolEnv` changes when a variable is found to hold a key, and is expensive to compute.
  const ports: Ports = Object.defineProperties({} as Ports, {
    ...Object.getOwnPropertyDescriptors(system),
    ...Object.getOwnPropertyDescriptors(portOverrides ?? {}),
  });
  const cwd = await resolveWorkingDirectory(ports.files, options.cwd ?? process.cwd());
  const { decision, values, rules } = await loadProjectSettings({
    files: ports.files,
    agentDirectory,
    cwd,
    home: options.home ?? homeDirectory(),
    flags: { trust: options.trusted === true, noTrust: options.trusted === false },
    warn: onProblem ?? (() => {}),
  });
  const agent = await createAgent({
    redact: system.redact,
    withhold: system.withhold,
    warn: onProblem,
    ...rest,
    cwd,
    trusted: decision.trusted,
    inventory: decision.inventory,
    agentDirectory,
    sessionDirectory: options.sessionDirectory === undefined ? undefined : resolve(options.sessionDirectory),
    settings: { ...values, ...settingOverrides },
    permissionRules: [...rules, ...listRules(settingOverrides ?? {}, 'user', 'options')],
    ports,
    models: models && withInitialModel(models, options),
  });
  const { session } = agent;
  if (agent.modelNotice) onProblem?.(agent.modelNotice.message);
  return {
    session,
    subscribe: (listener) => session.subscribe(listener),
    prompt: (prompt) => runPromptAndCollect(session, typeof prompt === 'string' ? { message: prompt } : prompt),
    async close() {
      await agent.close();
      await system.close();
    },
  };
}

/** A custom registry does not know the requested provider and model, so `chooseInitial` is replaced. */
function withInitialModel(modelRegistry: ModelRegistry, { provider, model }: AgentSessionOptions): ModelRegistry {
  if (provider === undefined && model === undefined) return modelRegistry;
  const chooseInitial: ModelRegistry['chooseInitial'] = async () =>
    selectModel(await modelRegistry.listAvailable(), { provider, model });
  return overrideInitialModel(modelRegistry, chooseInitial);
}

async function runPromptAndCollect(session: AgentSession, prompt: Prompt): Promise<AgentMessage[]> {
  const messages: AgentMessage[] = [];
  // Events before the prompt is accepted belong to an earlier run.
  let accepted = false;
  const stop = session.subscribe((event) => {
    if (accepted && event.type === 'agent_end') messages.push(...event.messages);
  });
  try {
    await session.runs.prompt({
      ...prompt,
      onAccepted() {
        accepted = true;
      },
    });
    // A queued prompt is accepted before the run that handles it has ended.
    await session.runs.waitUntilSettled();
    return messages;
  } finally {
    stop();
  }
}
