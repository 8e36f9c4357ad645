// The hall, terminal: keys that do something instead of writing. Knows the conversation; how keys are spelled, not how they arrive.
import { messageOf } from '../base/index.ts';
import type { Clock } from '../contracts/index.ts';
import type { Conversation } from './conversation.ts';

/** Twice within this is meant. */
const TWICE_MS = 2_000;

export interface Shortcuts {
  /** Whether the key was one. */
  press(key: string): boolean;
}

export function createShortcuts(conversation: Conversation, clock: Clock, suspend: () => void): Shortcuts {
  let interruptedAt = Number.NEGATIVE_INFINITY;
  const interrupt = () => {
    if (clock.now() - interruptedAt < TWICE_MS) return conversation.leave();
    interruptedAt = clock.now();
    if (conversation.isBusy) conversation.stop();
    else conversation.typing.discard();
    conversation.hint('Ctrl+C once more leaves');
    clock.after(TWICE_MS, () => {
      conversation.hint(undefined);
      conversation.draw();
    });
  };
  const failed = (thrown: unknown) => conversation.say(messageOf(thrown), 'error');
  const keys: Readonly<Record<string, () => unknown>> = {
    'ctrl+c': interrupt,
    escape() {
      if (conversation.typing.hasMenu) conversation.typing.closeMenu();
      else conversation.stop();
    },
    'ctrl+l': () => conversation.clear(),
    'ctrl+o': () => conversation.transcript.part(conversation.transcript.whole ?? []),
    'ctrl+g': () => conversation.edit(conversation.typing.draft.text).catch(failed),
    'ctrl+z': suspend,
    'shift+tab': () => conversation.client.call('cycle_thinking_level').catch(failed),
    'alt+up': () => conversation.takeBack().catch(failed),
  };
  return {
    press(key) {
      const isEnd = key === 'ctrl+d';
      if (isEnd && conversation.typing.draft.text === '') {
        conversation.leave();
        return true;
      }
      const act = keys[key];
      act?.();
      return act !== undefined;
    },
  };
}
