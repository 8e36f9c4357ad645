// Opens a session for an extension: an agent of its own, in memory, without extensions and MCP servers, with the models of the agent.
import type { AgentSession, InnerSessionRequest, ModelRegistry } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import { resolveWorkingDirectory } from '../support/working-directory.ts';
import type { AgentOptions } from './agent-options.ts';
import { overrideInitialModel } from './override-initial-model.ts';

export interface InnerSessionContext {
  /** The options of the agent that the extension belongs to. */
  readonly options: AgentOptions;
  readonly models: ModelRegistry;
  /** Used if the request names no model. */
  readonly currentModel: Model | null | undefined;
  createAgent(options: AgentOptions): Promise<{ readonly session: AgentSession }>;
}

/** Without the host: a tool call that needs an approval is denied. Another directory is not trusted. */
export async function openInnerSession(
  request: InnerSessionRequest,
  { options, models, currentModel, createAgent }: InnerSessionContext,
): Promise<AgentSession> {
  const { cwd: requestedDirectory, model, tools, ...overrides } = request;
  const { session: _, sessionId: __, fork: ___, continueLatest: ____, name: _____, ...inherited } = options;
  const cwd = await resolveWorkingDirectory(options.ports.files, requestedDirectory ?? options.cwd);
  const isSameProject = cwd === options.cwd;
  const chosen = model ?? currentModel ?? (await models.chooseInitial());
  const { session } = await createAgent({
    ...inherited,
    ...overrides,
    cwd,
    trusted: isSameProject && options.trusted === true,
    inventory: isSameProject ? options.inventory : undefined,
    // The servers of the agent are not started a second time.
    settings: { ...options.settings, extensions: [], 'mcp.enabled': false },
    extensions: { discover: false },
    models: overrideInitialModel(models, async () => chosen),
    persist: false,
    store: undefined,
    id: undefined,
    chooseSession: undefined,
    tools,
  });
  return session;
}
