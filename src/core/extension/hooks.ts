// First floor, core: the moments at which core asks, as events of extensions. What is made of the answers is in `moments`.
import type { Hooks } from '../../contracts/index.ts';
import { announcements } from './happenings.ts';
import { beforeRequest, beforeRun, context, input, type PromptParts } from './moments/prompt.ts';
import { beforeCompact, beforeMove, objection } from './moments/session.ts';
import { toolCall, toolResult } from './moments/tool.ts';
import { shellVerdict } from './moments/user-bash.ts';

export interface HookParts extends PromptParts {
  /** Another conversation is in place. */
  moved(): Promise<void>;
  /** What extensions do without waiting for it is done. */
  idle(): Promise<void>;
}

/** Where no handler is, no hook is: core does not even wait. */
export function createHooks(parts: HookParts): Hooks {
  const { runner } = parts;
  const when = <H>(hook: H, ...events: readonly string[]): H | undefined =>
    events.some((event) => runner.has(event)) ? hook : undefined;
  return {
    input: (said) => input(parts, said),
    get beforeRun() {
      return when<Hooks['beforeRun']>((opening) => beforeRun(parts, opening), 'before_agent_start');
    },
    get context() {
      return when<Hooks['context']>((messages) => context(runner, messages), 'context');
    },
    get beforeRequest() {
      return when<Hooks['beforeRequest']>((body) => beforeRequest(runner, body), 'before_provider_request');
    },
    get toolCall() {
      return when<Hooks['toolCall']>((call) => toolCall(runner, call), 'tool_call');
    },
    get toolResult() {
      return when<Hooks['toolResult']>((result) => toolResult(runner, result), 'tool_result');
    },
    get shell() {
      return when<Hooks['shell']>((planned) => shellVerdict(runner, planned), 'user_bash');
    },
    get beforeCompact() {
      return when<Hooks['beforeCompact']>((plan) => beforeCompact(runner, plan), 'session_before_compact');
    },
    ...departures(parts),
    async observe(happening) {
      if (happening.type === 'session_start') await parts.moved();
      for (const event of announcements(happening)) await runner.emit(event);
      if (happening.type === 'session_shutdown') await parts.idle();
    },
  };
}

/** Always there: what an extension did before the conversation is left belongs to it, and what it does when it is asked too. */
function departures({ runner, idle }: HookParts): Pick<Hooks, 'beforeSwitch' | 'beforeBranch' | 'beforeMove'> {
  const leaving = async <V>(ask: () => Promise<V>): Promise<V> => {
    await idle();
    const verdict = await ask();
    await idle();
    return verdict;
  };
  return {
    beforeSwitch: (to) => leaving(() => objection(runner, [{ type: 'session_before_switch', ...to }])),
    beforeBranch: (about) =>
      leaving(() =>
        objection(
          runner,
          ['session_before_branch', 'session_before_fork'].map((type) => ({ type, ...about })),
        ),
      ),
    beforeMove: (plan) => leaving(() => beforeMove(runner, plan)),
  };
}
