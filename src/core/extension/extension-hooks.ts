// Implements the core hooks by emitting extension events. The results of handlers are processed in `event-handlers/`.
import type { Hooks, LifecycleEvent } from '../../contracts/index.ts';
import {
  emitBeforeAgentStart,
  emitBeforeProviderHeaders,
  emitBeforeProviderRequest,
  emitContext,
  emitContextWithSystem,
  emitInput,
  type PromptHookOptions,
} from './event-handlers/prompt.ts';
import { emitBeforeCompact, emitBeforeTree, emitCancellable } from './event-handlers/session.ts';
import { emitBeforeSettle } from './event-handlers/settle.ts';
import { emitToolCall, emitToolResult } from './event-handlers/tool.ts';
import { emitUserBash } from './event-handlers/user-bash.ts';
import type { HandlerRunner } from './handler-runner.ts';

export interface ExtensionHookOptions extends PromptHookOptions {
  /** The session was replaced. */
  onSessionChanged(): Promise<void>;
  /** Resolves when the actions that extensions did not await are done. */
  waitUntilIdle(): Promise<void>;
}

export function createExtensionHooks(options: ExtensionHookOptions): Hooks {
  const { runner } = options;
  const hooks: Hooks = {
    input: (submittedInput) => emitInput(options, submittedInput),
    ...createSessionChangeHooks(options),
    async onLifecycleEvent(lifecycleEvent) {
      if (lifecycleEvent.type === 'session_start') await options.onSessionChanged();
      for (const event of toExtensionEvents(lifecycleEvent)) await runner.emit(event);
      if (lifecycleEvent.type === 'session_shutdown') await options.waitUntilIdle();
    },
  };
  for (const [event, hook] of Object.entries(createEventHooks(options))) defineHook(runner, hooks, event, hook);
  return hooks;
}

/** The hook is `undefined` while no extension handles its event, so that core does not await it. */
function defineHook(runner: HandlerRunner, hooks: Hooks, event: string, hook: Partial<Hooks>): void {
  for (const [name, call] of Object.entries(hook))
    Object.defineProperty(hooks, name, { get: () => (runner.hasHandler(event) ? call : undefined), enumerable: true });
}

/** One hook for each event. */
function createEventHooks(options: ExtensionHookOptions): Readonly<Record<string, Partial<Hooks>>> {
  const { runner } = options;
  return {
    before_agent_start: { beforeRun: (plannedRun) => emitBeforeAgentStart(options, plannedRun) },
    context: { context: (messages) => emitContext(runner, messages) },
    context_with_system: { planRequest: (plan) => emitContextWithSystem(options, plan) },
    before_provider_headers: { requestHeaders: (headers) => emitBeforeProviderHeaders(runner, headers) },
    before_provider_request: { beforeRequest: (body) => emitBeforeProviderRequest(runner, body) },
    after_provider_response: {
      async onResponse(response) {
        await runner.emit({ type: 'after_provider_response', ...response } as { type: string });
        return undefined;
      },
    },
    tool_call: { toolCall: (call) => emitToolCall(runner, call) },
    tool_result: { toolResult: (result) => emitToolResult(runner, result) },
    user_bash: { shell: (planned) => emitUserBash(runner, planned) },
    session_before_compact: { beforeCompact: (plan) => emitBeforeCompact(runner, plan) },
    agent_before_settle: { beforeSettle: (plan) => emitBeforeSettle(runner, options.report, plan) },
  };
}

/**
 * These hooks are always defined: pending actions of extensions belong to the old conversation and must finish before the
 * switch. The same holds for actions that the handlers of these events start.
 */
function createSessionChangeHooks({
  runner,
  waitUntilIdle,
}: ExtensionHookOptions): Pick<Hooks, 'beforeSwitch' | 'beforeBranch' | 'beforeMove'> {
  const withIdleQueue = async <V>(emit: () => Promise<V>): Promise<V> => {
    await waitUntilIdle();
    const result = await emit();
    await waitUntilIdle();
    return result;
  };
  return {
    beforeSwitch: (to) => withIdleQueue(() => emitCancellable(runner, [{ type: 'session_before_switch', ...to }])),
    beforeBranch: (branch) =>
      withIdleQueue(() =>
        emitCancellable(
          runner,
          ['session_before_branch', 'session_before_fork'].map((type) => ({ type, ...branch })),
        ),
      ),
    beforeMove: (plan) => withIdleQueue(() => emitBeforeTree(runner, plan)),
  };
}

type ExtensionEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Older pi versions have one event per reason (`session_switch`, `session_fork`, `session_branch`). Newer ones only have `session_start`. */
function toExtensionEvents(event: LifecycleEvent): readonly ExtensionEvent[] {
  if (event.type !== 'session_start') return [{ ...event }];
  const { reason, previousSessionFile } = event;
  const olderEvents =
    reason === 'fork'
      ? [
          { type: 'session_fork', previousSessionFile },
          { type: 'session_branch', previousSessionFile },
        ]
      : [{ type: 'session_switch', reason, previousSessionFile }];
  return [...olderEvents, { type: 'session_start', reason, previousSessionFile }];
}
