// Binds keys such as Ctrl+C and Ctrl+G to actions of the conversation.
import { getErrorMessage } from '../base/index.ts';
import type { Clock } from '../contracts/index.ts';
import type { Conversation } from './conversation.ts';

/** A second Ctrl+C within this time quits. */
const DOUBLE_PRESS_MS = 2_000;

export interface Shortcuts {
  /** Returns whether the key is a shortcut. */
  handleKey(key: string): boolean;
}

export function createShortcuts(conversation: Conversation, clock: Clock, suspend: () => void): Shortcuts {
  let interruptedAt = Number.NEGATIVE_INFINITY;
  const reportError = (thrown: unknown) => conversation.notify(getErrorMessage(thrown), 'error');
  const abort = () => {
    try {
      conversation.abort();
    } catch (thrown) {
      reportError(thrown);
    }
  };
  const interrupt = () => {
    if (clock.now() - interruptedAt < DOUBLE_PRESS_MS) return conversation.quit();
    interruptedAt = clock.now();
    if (conversation.isBusy) abort();
    else conversation.input.cutAll();
    conversation.setHint('Press Ctrl+C again to quit');
    clock.after(DOUBLE_PRESS_MS, () => {
      conversation.setHint(undefined);
      conversation.draw();
    });
  };
  const actions: Readonly<Record<string, () => unknown>> = {
    'ctrl+c': interrupt,
    escape() {
      if (conversation.input.hasMenu) conversation.input.dismissMenu();
      else abort();
    },
    'ctrl+l': () => conversation.clearScreen(),
    'ctrl+o': () => conversation.transcript.printBlock(conversation.transcript.lastFullOutput ?? []),
    'ctrl+g': () => conversation.openEditor(conversation.input.text).catch(reportError),
    'ctrl+z': suspend,
    'shift+tab': () => conversation.cycleThinkingLevel().catch(reportError),
    'alt+up': () => conversation.restoreQueuedMessages().catch(reportError),
  };
  return {
    handleKey(key) {
      const isEndOfInput = key === 'ctrl+d';
      if (isEndOfInput && conversation.input.draft.text === '') {
        conversation.quit();
        return true;
      }
      const action = actions[key];
      action?.();
      return action !== undefined;
    },
  };
}
