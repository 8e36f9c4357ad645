// The AgentSession that commands, extensions and the SDK use: a facade over the facets.
import type { AgentSession, EventListener, ModelContext } from '../../contracts/index.ts';
import { type SessionState as SessionStateView, toPermissionMode, toSlashCommandEntry } from '../../protocol/index.ts';
import { waitAtMost } from '../../support/wait-at-most.ts';
import { estimateContextTokens } from '../compaction/tokens.ts';
import { EntryFacet } from './entry-facet.ts';
import type { RequestBuilder } from './request-builder.ts';
import type { SessionFacets } from './session-facets.ts';
import type { SessionState } from './session-state.ts';

const SHUTDOWN_HOOK_TIMEOUT_MS = 1000;
/** Servers that do not end in time are killed with the other child processes. */
const MCP_CLOSE_TIMEOUT_MS = 2000;
/** A tool that does not stop in time is killed with the other child processes. */
const INTERRUPT_TIMEOUT_MS = 2000;

export function createFacade(facets: SessionFacets): AgentSession {
  const { state, requestBuilder, runs, queues, models, retry, compaction, history, shell } = facets;
  const { naming, todos, subagents, tools } = facets;
  const { broadcast } = state;
  return {
    get id() {
      return state.conversation.header.id;
    },
    get file() {
      return state.conversation.file;
    },
    get header() {
      return state.conversation.header;
    },
    get sidecarFiles() {
      return state.sidecarFiles;
    },
    cwd: state.options.cwd,
    approval: state.options.approval ?? { policy: 'never' },
    ...{ runs, queues, models, retry, compaction, history, shell, naming, todos, subagents, tools },
    entries: new EntryFacet(state),
    context: createModelContext(state, requestBuilder),
    async loadArtifacts() {
      const { createArtifactReader } = await import('./artifact-reader.ts');
      return createArtifactReader(state.ports.files, await state.artifacts.findDirectory());
    },
    loadPorts: state.options.loadPorts,
    notify: (notice) => void broadcast.emit({ type: 'notice', ...notice }),
    listSlashCommands: async () => (await state.hooks.listSlashCommands?.()) ?? [],
    async announceSlashCommands() {
      const listed = (await state.hooks.listSlashCommands?.()) ?? [];
      await broadcast.emit({ type: 'available_commands_update', commands: listed.map(toSlashCommandEntry) });
    },
    async listMcpServers({ untilReady } = {}) {
      if (untilReady) await state.options.mcp?.prepare();
      return (await state.options.mcp?.getStatus()) ?? [];
    },
    reportExtensionError: (failure) => void broadcast.emit({ type: 'extension_error', ...failure }),
    reportSkillLoaded: (skill) => void broadcast.emit({ type: 'skill_loaded', ...skill }),
    state: () => buildStateView(facets),
    subscribe: (listener: EventListener) => broadcast.subscribe(listener),
    close: () => closeSession(facets),
    interrupt: () => interruptSession(facets),
  };
}

/** The reply to `get_state`, without the todo list. */
function buildStateView(facets: SessionFacets): Omit<SessionStateView, 'todoPhases'> {
  const { state, models, runs, compaction, queues, naming, history, requestBuilder } = facets;
  const { file, header } = state.conversation;
  return {
    model: models.current,
    thinkingLevel: models.thinkingLevel,
    isStreaming: runs.isRunning,
    isCompacting: compaction.isRunning,
    isSettled: runs.isSettled,
    ...(runs.isInterrupted ? { isInterrupted: true } : {}),
    steeringMode: queues.steeringMode,
    followUpMode: queues.followUpMode,
    interruptMode: queues.interruptMode,
    ...(file === undefined ? {} : { sessionFile: file }),
    sessionId: header.id,
    ...(naming.name === undefined ? {} : { sessionName: naming.name }),
    trusted: state.options.resourceLocator.isTrusted,
    permissionMode: toPermissionMode(state.options.approval?.policy ?? 'never'),
    autoCompactionEnabled: compaction.isAutomatic,
    fastModeEnabled: models.fastMode,
    fastModeActive: models.fastMode && models.supportsFastMode,
    tokensPerSecond: requestBuilder.tokensPerSecond,
    messageCount: history.messageCount,
    queuedMessageCount: queues.count,
    pendingMessageCount: queues.count,
  };
}

function createModelContext(state: SessionState, requestBuilder: RequestBuilder): ModelContext {
  return {
    get systemPrompt() {
      return requestBuilder.lastPrefix?.systemPrompt ?? '';
    },
    get sources() {
      return requestBuilder.lastPrefix?.sources;
    },
    usage() {
      const { model } = requestBuilder;
      if (!model) return undefined;
      const { contextWindow } = model;
      const tokens = estimateContextTokens(state.conversation.path);
      // Some local servers do not report the size of their context window: then it is 0.
      return { tokens, contextWindow, percent: contextWindow > 0 ? (tokens / contextWindow) * 100 : 0 };
    },
    async describe() {
      const { describeContext } = await import('../compaction/context-breakdown.ts');
      const prefix = await requestBuilder.getPromptPrefix();
      return describeContext(prefix, state.conversation.path, requestBuilder.model?.contextWindow ?? 0);
    },
    complete: (request) => requestBuilder.complete(request),
    invalidate: () => requestBuilder.reset(),
  };
}

async function closeSession({
  state,
  shell,
  runs,
  compaction,
  queues,
  rules,
  ...facets
}: SessionFacets): Promise<void> {
  // Before the hooks, which can take long: a run that began meanwhile would be aborted after they have ended.
  runs.close();
  await notifyShutdown(state);
  shell.close();
  await runs.abort();
  await compaction.abort();
  await shell.stopAll();
  queues.reportNotRun('the session was closed');
  rules.close();
  await facets.subagents.close();
  // The servers of a subagent are those of its parent.
  if (!state.options.parentLink && state.options.mcp)
    await waitAtMost(state.ports.clock, MCP_CLOSE_TIMEOUT_MS, state.options.mcp.close());
  await facets.digestWriter.flush();
  await state.conversation.close();
  await state.artifacts.close();
}

async function interruptSession(facets: SessionFacets): Promise<void> {
  const { state, shell, runs, compaction, rules, subagents } = facets;
  await notifyShutdown(state);
  // Before anything is stopped: the output of a killed command must not be stored as its result.
  runs.close();
  await state.conversation.close();
  shell.close();
  rules.close();
  const stopped = Promise.allSettled([runs.abort(), compaction.abort(), shell.stopAll(), subagents.close()]);
  await waitAtMost(state.ports.clock, INTERRUPT_TIMEOUT_MS, stopped);
  await state.artifacts.close();
}

/** Lets hooks clean up. Waits at most SHUTDOWN_HOOK_TIMEOUT_MS, so that a hook cannot block the shutdown. */
async function notifyShutdown({ hooks, ports }: SessionState): Promise<void> {
  const handled = hooks.onLifecycleEvent?.({ type: 'session_shutdown' });
  if (!handled) return;
  await waitAtMost(
    ports.clock,
    SHUTDOWN_HOOK_TIMEOUT_MS,
    handled.catch(() => {}),
  );
}
