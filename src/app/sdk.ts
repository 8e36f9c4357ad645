// The hall: an agent inside the program that uses it. No wire and no child process; otherwise what the command line starts.

import { resolve } from 'node:path';
import { Fault } from '../base/index.ts';
import type { AgentSession, EventListener, Models, Ports, RunRequest } from '../contracts/index.ts';
import { selectModel } from '../llm/selection.ts';
import type { AgentMessage } from '../protocol/index.ts';
import { type AgentOptions, createAgent } from './compose.ts';
import { homeDirectory } from './home.ts';
import { settingsForRun, userDirectory } from './settings.ts';
import type { SettingValues } from './settings-table.ts';
import { createSystemPorts } from './system-ports/index.ts';
import { decideTrust } from './trust/decide.ts';
import { settingsReading } from './trust/settings-reading.ts';

export { Fault, type FaultCode } from '../base/index.ts';
export {
  type AgentSession,
  type Artifacts,
  type EventListener,
  type Hooks,
  type ModelRequest,
  type ModelStream,
  type Models,
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
export { textOf } from '../protocol/index.ts';
export { createMemoryStore, type MemoryLog } from '../store/index.ts';
export { type OwnModel, ownModel, type Said } from './own-model.ts';
export type { SettingValues } from './settings-table.ts';
export { version } from './version.ts';

export interface AgentSessionOptions extends Partial<Omit<AgentOptions, 'settings' | 'ports' | 'inventory'>> {
  /** Laid over the user's settings file. */
  settings?: Partial<SettingValues> | undefined;
  /** These in the place of the machine's own. */
  ports?: Partial<Ports> | undefined;
  /** Called with what is wrong in the settings file (the wrong value does not count), and when only the offline model can answer. */
  onProblem?: ((sentence: string) => void) | undefined;
}

export type Prompt = Omit<RunRequest, 'accepted'>;

export interface AgentSessionHandle {
  readonly session: AgentSession;
  /** The same events as on the wire. A listener that returns a promise makes the run wait. Returns the way to stop. */
  subscribe(listener: EventListener): () => void;
  /** Gives everything that the prompt led to, once nothing automatic remains. Throws a Fault when it is refused. */
  prompt(prompt: string | Prompt): Promise<AgentMessage[]>;
  /** Ends every run and every child, and closes the log. */
  close(): Promise<void>;
}

/** An agent with the user's own settings, for the current directory, unless the options say otherwise. */
export async function createAgentSession(options: AgentSessionOptions = {}): Promise<AgentSessionHandle> {
  const { settings: wanted, ports: replaced, onProblem, models, ...rest } = options;
  const agentDirectory = resolve(options.agentDirectory ?? userDirectory(process.env, homeDirectory()));
  const system = createSystemPorts({ own: agentDirectory });
  // Getters stay getters: the environment of tools changes when a variable is found to hold a key, and reading it takes work.
  const ports: Ports = Object.defineProperties({} as Ports, {
    ...Object.getOwnPropertyDescriptors(system),
    ...Object.getOwnPropertyDescriptors(replaced ?? {}),
  });
  const cwd = await workingDirectory(options.cwd ?? process.cwd(), ports);
  const question = { files: ports.files, agentDirectory, cwd };
  const decision = options.trusted === undefined ? await decideTrust(question) : undefined;
  const trusted = decision?.trusted ?? options.trusted ?? false;
  const inventory = decision?.inventory;
  if (decision?.problem) onProblem?.(decision.problem);
  const project = trusted ? cwd : undefined;
  const rules = { ...question, home: options.home ?? homeDirectory(), inventory, report: onProblem ?? (() => {}) };
  const files = await settingsReading({ ...rules, trusted });
  const { values, problems } = await settingsForRun({ files, directory: agentDirectory, project });
  for (const problem of problems) onProblem?.(problem);
  const agent = await createAgent({
    redact: system.redact,
    withhold: system.withhold,
    warn: onProblem,
    ...rest,
    cwd,
    trusted,
    inventory,
    agentDirectory,
    sessionDirectory: options.sessionDirectory === undefined ? undefined : resolve(options.sessionDirectory),
    settings: { ...values, ...wanted },
    ports,
    models: models && beginningWith(models, options),
  });
  const { session } = agent;
  if (agent.modelNotice) onProblem?.(agent.modelNotice.message);
  return {
    session,
    subscribe: (listener) => session.subscribe(listener),
    prompt: (prompt) => promptOf(session, typeof prompt === 'string' ? { message: prompt } : prompt),
    async close() {
      await agent.close();
      await system.close();
    },
  };
}

async function workingDirectory(wanted: string, { files }: Ports): Promise<string> {
  const path = resolve(wanted);
  if ((await files.info(path))?.kind === 'directory') return path;
  throw new Fault('config', `Working directory does not exist: ${path}`);
}

/** Models that someone brings know nothing of what was asked for beside them. Everything but the first choice is theirs. */
function beginningWith(models: Models, { provider, model }: AgentSessionOptions): Models {
  if (provider === undefined && model === undefined) return models;
  const initial: Models['initial'] = async () => selectModel(await models.available(), { provider, model });
  return new Proxy(models, {
    get(target, key) {
      if (key === 'initial') return initial;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

async function promptOf(session: AgentSession, prompt: Prompt): Promise<AgentMessage[]> {
  const made: AgentMessage[] = [];
  // Events before the acceptance belong to what ran before.
  let accepted = false;
  const stop = session.subscribe((event) => {
    if (accepted && event.type === 'agent_end') made.push(...event.messages);
  });
  try {
    await session.runs.prompt({
      ...prompt,
      accepted() {
        accepted = true;
      },
    });
    // A queued prompt is accepted long before the run that takes it is over.
    await session.runs.settled();
    return made;
  } finally {
    stop();
  }
}
