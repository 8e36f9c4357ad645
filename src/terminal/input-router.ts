// Decodes terminal input into keys and routes each key to the open dialog, the history search, a shortcut or the input editor.
import type { Clock } from '../contracts/index.ts';
import type { Tty, TtyHandlers } from '../contracts/tty.ts';
import type { Conversation } from './conversation.ts';
import { KeyDecoder, type KeyInput } from './input/key-decoder.ts';
import type { Screen } from './screen.ts';
import { createShortcuts } from './shortcuts.ts';
import { ansi } from './text/ansi.ts';

interface InputRouterOptions {
  readonly tty: Tty;
  readonly clock: Clock;
  readonly screen: Screen;
  /** False for dumb terminals: input arrives in whole lines, and printed text cannot be overwritten. */
  readonly canRedraw: boolean;
  /** The agent continues when the user quits, so that another client can answer an open dialog. */
  readonly canDetach: boolean;
  quit(): void;
}

/** An ESC byte without a following byte for this long is the Escape key, not the start of a sequence. */
const ESCAPE_TIMEOUT_MS = 40;

export function createInputRouter(
  conversation: Conversation,
  { tty, clock, screen, canRedraw, canDetach, quit }: InputRouterOptions,
): TtyHandlers {
  const shortcuts = createShortcuts(conversation, clock, () => {
    screen.suspend();
    tty.suspend();
  });
  /** Order: open dialog, history search, shortcuts, draft. Ctrl+C in a dialog also reaches the shortcuts. */
  const route = (keyInput: KeyInput) => {
    conversation.setHint(undefined);
    if (canDetach && 'key' in keyInput && keyInput.key === 'ctrl+d' && conversation.dialogs.current) return quit();
    const interrupts = 'key' in keyInput && keyInput.key === 'ctrl+c';
    if (conversation.dialogs.handleKey(keyInput) && !interrupts) return;
    if (conversation.input.handleSearchKey(keyInput)) return;
    if ('key' in keyInput && shortcuts.handleKey(keyInput.key)) return;
    const text = conversation.input.handleKey(keyInput);
    if (text !== undefined) void conversation.submit(text);
  };
  const onInput = createKeyReader(clock, (keyInputs) => {
    for (const keyInput of keyInputs) route(canRedraw ? keyInput : normalizeEnter(keyInput));
    screen.handleInput();
    conversation.draw();
  });
  return {
    onInput,
    onResize() {
      screen.handleResize();
      conversation.draw();
    },
    onResume() {
      if (canRedraw) tty.write(ansi.enableInputModes);
      screen.resume();
      conversation.draw();
    },
    onInterrupt() {
      route({ key: 'ctrl+c' });
      conversation.draw();
    },
    onClose: quit,
  };
}

/** Returns a function that decodes bytes, and flushes an incomplete sequence after `ESCAPE_TIMEOUT_MS`. */
function createKeyReader(clock: Clock, onKeys: (keyInputs: readonly KeyInput[]) => void): (bytes: Uint8Array) => void {
  const decoder = new KeyDecoder();
  let cancel = () => {};
  return (bytes) => {
    cancel();
    onKeys(decoder.push(bytes));
    if (decoder.hasIncompleteInput) cancel = clock.after(ESCAPE_TIMEOUT_MS, () => onKeys(decoder.flush()));
  };
}

/** A terminal in line mode ends every line with a newline, which decodes as Ctrl+J. */
function normalizeEnter(keyInput: KeyInput): KeyInput {
  return 'key' in keyInput && keyInput.key === 'ctrl+j' ? { key: 'enter' } : keyInput;
}
