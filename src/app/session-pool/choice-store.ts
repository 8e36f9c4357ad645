// Stores what was chosen for the sessions of a server, and finds it when a session is opened again or copied.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type {
  AgentSession,
  Hooks,
  McpServerDefinition,
  OpenSessionRequest,
  SessionFeatures,
  SessionIndex,
} from '../../contracts/index.ts';
import { getArtifactsDirectory } from '../../store/session-paths.ts';
import type { SessionChanges } from '../command-ports/session-changes.ts';
import type { Agent } from '../create-agent.ts';
import { DEFAULT_FEATURES } from './default-features.ts';
import { notifyOnFirstRun } from './notify-on-first-run.ts';
import {
  CHOICES_FILE,
  createInvalidFault,
  parseChoices,
  type SessionChoices,
  serializeChoices,
} from './session-choices.ts';

/** An open session and how it was opened. */
interface OpenedSession {
  readonly agent: Agent;
  readonly request: OpenSessionRequest;
  /** Changed in place by commands. */
  readonly features: SessionFeatures;
  /** Of an earlier process. They do not count now, because the settings of the server are stricter. */
  readonly refused: SessionChanges;
  /** The names of MCP servers that a host has given to an earlier process. */
  readonly missing: readonly string[];
}

interface TrackedSession extends OpenedSession {
  /** What is stored, and in which file: an extension can move the session to another log. */
  stored: string | undefined;
  /** What could not be stored, and was reported. */
  failed?: string | undefined;
  saving: Promise<void>;
}

const SAVED_AFTER: ReadonlySet<string> = new Set(['tool_execution_end', 'turn_end', 'session_settled']);
const NO_CHANGES: SessionChanges = { settings: {}, modes: {} };

export class ChoiceStore {
  readonly #index: SessionIndex;
  readonly #tracked = new WeakMap<AgentSession, TrackedSession>();
  /** By the ids of the sessions. They are not stored. */
  readonly #mcpServers = new Map<string, readonly McpServerDefinition[]>();

  constructor(index: SessionIndex) {
    this.#index = index;
  }

  /** An extension must not continue another session with the choices of the one that it was called in. */
  createHooks(getFile: () => string | undefined): Hooks {
    return {
      beforeSwitch: async ({ targetSessionFile: file }) => {
        if (file !== undefined && file !== getFile() && (await this.read(file))) throw createSwitchFault();
        return undefined;
      },
    };
  }

  /** Of a session that is not open. */
  async read(path: string): Promise<SessionChoices | undefined> {
    const text = await this.#index.readSidecar(path, CHOICES_FILE);
    return text === undefined ? undefined : parseChoices(text, getChoicesFile(path));
  }

  /** Of an open session. */
  async describe(session: AgentSession): Promise<SessionChoices | undefined> {
    const tracked = this.#tracked.get(session);
    return tracked && describeChoices(tracked);
  }

  /** The MCP servers that a host has given to the session. */
  findMcpServers(sessionId: string): readonly McpServerDefinition[] | undefined {
    return this.#mcpServers.get(sessionId);
  }

  /** Applies the choices to the new session, and stores them. */
  async start(opened: Omit<OpenedSession, 'refused' | 'missing'>, choices: SessionChoices | undefined): Promise<void> {
    const { agent, request } = opened;
    const { session } = agent;
    const refused = choices ? await restoreChoices(agent, choices) : NO_CHANGES;
    const given = new Set(request.mcpServers?.map(({ name }) => name));
    const missing = choices?.mcpServers?.filter((name) => !given.has(name)) ?? [];
    if (request.mcpServers?.length) this.#mcpServers.set(session.id, request.mcpServers);
    const isOwn = choices !== undefined && request.id !== undefined && request.forkOf === undefined;
    const stored = isOwn ? createKey(session, serializeChoices(choices)) : createKey(session, undefined);
    this.#tracked.set(session, { ...opened, refused, missing, stored, saving: Promise.resolve() });
    await this.save(session);
    session.subscribe(({ type }) => {
      // Extensions change choices during a run. A failure is reported by the next call.
      if (SAVED_AFTER.has(type)) void this.save(session).catch(() => {});
    });
    if (missing.length > 0) notifyOnFirstRun(session, describeMissing(missing));
  }

  /** The session was deleted. */
  forget(sessionId: string): void {
    this.#mcpServers.delete(sessionId);
  }

  /** Resolves when the choices are on disk. Calls of a session run one after another. */
  async save(session: AgentSession): Promise<void> {
    const tracked = this.#tracked.get(session);
    if (!tracked) return;
    tracked.saving = tracked.saving.catch(() => {}).then(() => saveTracked(session, tracked));
    await tracked.saving;
  }
}

async function saveTracked(session: AgentSession, tracked: TrackedSession): Promise<void> {
  const text = serializeChoices(await describeChoices(tracked));
  const key = createKey(session, text);
  if (key === tracked.stored) return;
  try {
    // The session is found by its log.
    await session.entries.flush();
    await session.sidecarFiles.write(CHOICES_FILE, text ?? `${JSON.stringify({ version: 1 })}\n`);
    tracked.stored = key;
  } catch (thrown) {
    const isReported = tracked.failed === key;
    tracked.failed = key;
    // A failure is reported once: later calls did not cause it.
    if (!isReported) throw createWriteFault(session, thrown);
  }
}

function createSwitchFault(): Fault {
  const reason = 'Tools, settings or a permission mode were chosen for the other session';
  return new Fault('refused', `${reason}, so this one cannot continue it. Open the other session by its id.`);
}

function createWriteFault({ file = '' }: AgentSession, cause: unknown): Fault {
  const message = `The change is in effect, but it is lost when the session is closed, because it cannot be stored: ${getErrorMessage(cause)}. File: ${getChoicesFile(file)}`;
  return new Fault('storage', message, { cause });
}

function createKey({ file }: AgentSession, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${file}\n${text}`;
}

async function describeChoices({ agent, request, features, refused, missing }: OpenedSession): Promise<SessionChoices> {
  const { session } = agent;
  const { settings, modes } = await agent.readChanges();
  const mcpServers = [...(request.mcpServers ?? []).map(({ name }) => name), ...missing];
  const hasAllFeatures = Object.entries(DEFAULT_FEATURES).every(([name, value]) => features[name as 'mcp'] === value);
  return {
    version: 1,
    systemPrompt: request.systemPrompt,
    tools: request.tools && [...request.tools],
    selectedTools: session.tools.selected && [...session.tools.selected],
    features: hasAllFeatures ? undefined : { ...features },
    fastMode: session.models.fastMode || undefined,
    mcpServers: mcpServers.length > 0 ? mcpServers : undefined,
    settings: { ...refused.settings, ...settings },
    modes: { ...refused.modes, ...modes },
  };
}

async function restoreChoices(agent: Agent, choices: SessionChoices): Promise<SessionChanges> {
  const { session } = agent;
  if (choices.selectedTools) session.tools.select(choices.selectedTools);
  if (choices.fastMode) session.models.fastMode = true;
  const changes = { settings: choices.settings, modes: choices.modes } as SessionChanges;
  const hasChanges = Object.keys({ ...changes.settings, ...changes.modes }).length > 0;
  if (!hasChanges) return NO_CHANGES;
  try {
    return await agent.restoreChanges(changes);
  } catch (thrown) {
    throw createInvalidFault(getChoicesFile(session.file ?? ''), getErrorMessage(thrown));
  }
}

function getChoicesFile(path: string): string {
  return `${getArtifactsDirectory(path)}/${CHOICES_FILE}`;
}

function describeMissing(names: readonly string[]): Parameters<AgentSession['notify']>[0] {
  const message = `MCP servers of the host are not stored, and were lost when the server ended: ${names.join(', ')}. Load the session with them, or add them with parley mcp add.`;
  return { level: 'warning', message, source: 'mcp' };
}
