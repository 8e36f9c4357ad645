// Implements the core hooks by emitting extension events. The results of handlers are processed in `event-handlers/`.
import type { Hooks, LifecycleEvent } from '../../contracts/index.ts';
import {
  emitBeforeAgentStart,
  emitBeforeProviderRequest,
  emitContext,
  emitInput,
  type PromptHookOptions,
} from './event-handlers/prompt.ts';
import { emitBeforeCompact, emitBeforeTree, emitCancellable } from './event-handlers/session.ts';
import { emitToolCall, emitToolResult } from './event-handlers/tool.ts';
import { emitUserBash } from './event-handlers/user-bash.ts';

export interface ExtensionHookOptions extends PromptHookOptions {
  /** The session was replaced. */
  onSessionChanged(): Promise<void>;
  /** Resolves when the actions that extensions did not await are done. */
  waitUntilIdle(): Promise<void>;
}

/** A hook is `undefined` while no extension handles its event, so that core does not await it. */
export function createExtensionHooks(options: ExtensionHookOptions): Hooks {
  const { runner } = options;
  const ifHandled = <H>(hook: H, ...events: readonly string[]): H | undefined =>
    events.some((event) => runner.hasHandler(event)) ? hook : undefined;
  return {
    input: (submittedInput) => emitInput(options, submittedInput),
    get beforeRun() {
      return ifHandled<Hooks['beforeRun']>(
        (plannedRun) => emitBeforeAgentStart(options, plannedRun),
        'before_agent_start',
      );
    },
    get context() {
      return ifHandled<Hooks['context']>((messages) => emitContext(runner, messages), 'context');
    },
    get beforeRequest() {
      return ifHandled<Hooks['beforeRequest']>(
        (body) => emitBeforeProviderRequest(runner, body),
        'before_provider_request',
      );
    },
    get toolCall() {
      return ifHandled<Hooks['toolCall']>((call) => emitToolCall(runner, call), 'tool_call');
    },
    get toolResult() {
      return ifHandled<Hooks['toolResult']>((result) => emitToolResult(runner, result), 'tool_result');
    },
    get shell() {
      return ifHandled<Hooks['shell']>((planned) => emitUserBash(runner, planned), 'user_bash');
    },
    get beforeCompact() {
      return ifHandled<Hooks['beforeCompact']>((plan) => emitBeforeCompact(runner, plan), 'session_before_compact');
    },
    ...createSessionChangeHooks(options),
    async onLifecycleEvent(lifecycleEvent) {
      if (lifecycleEvent.type === 'session_start') await options.onSessionChanged();
      for (const event of toExtensionEvents(lifecycleEvent)) await runner.emit(event);
      if (lifecycleEvent.type === 'session_shutdown') await options.waitUntilIdle();
    },
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
