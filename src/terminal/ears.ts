// The hall, terminal: from what a terminal tells to what the conversation is told: bytes become keys, and keys find whom they are for.
import type { Clock } from '../contracts/index.ts';
import type { Tty, TtyEars } from '../contracts/tty.ts';
import type { Conversation } from './conversation.ts';
import { Keyboard, type Stroke } from './input/keys.ts';
import type { Screen } from './screen.ts';
import { createShortcuts } from './shortcuts.ts';
import { terminal } from './text/paint.ts';

interface Surroundings {
  readonly tty: Tty;
  readonly clock: Clock;
  readonly screen: Screen;
  /** Keys come one by one, and what was drawn can be drawn over. */
  readonly isDrawn: boolean;
  leave(): void;
}

/** A lone escape is the key when nothing follows for so long. */
const ESCAPE_MS = 40;

export function createEars(conversation: Conversation, { tty, clock, screen, isDrawn, leave }: Surroundings): TtyEars {
  const shortcuts = createShortcuts(conversation, clock, () => {
    screen.leave();
    tty.suspend();
  });
  /** The open question first, then a search in earlier words, then keys that do something, then the draft. */
  const press = (stroke: Stroke) => {
    conversation.hint(undefined);
    const interrupts = 'key' in stroke && stroke.key === 'ctrl+c';
    if (conversation.asks.stroke(stroke) && !interrupts) return;
    if (conversation.typing.searches(stroke)) return;
    if ('key' in stroke && shortcuts.press(stroke.key)) return;
    const said = conversation.typing.stroke(stroke);
    if (said !== undefined) void conversation.submit(said);
  };
  const typed = createKeys(clock, (strokes) => {
    for (const stroke of strokes) press(isDrawn ? stroke : ofLine(stroke));
    screen.typed();
    conversation.draw();
  });
  return {
    typed,
    resized() {
      screen.resized();
      conversation.draw();
    },
    resumed() {
      if (isDrawn) tty.write(terminal.begin);
      screen.restart();
      conversation.draw();
    },
    interrupted() {
      press({ key: 'ctrl+c' });
      conversation.draw();
    },
    gone: leave,
  };
}

/** Bytes in, strokes out, as soon as it is sure what they mean. */
function createKeys(clock: Clock, press: (strokes: readonly Stroke[]) => void): (bytes: Uint8Array) => void {
  const keyboard = new Keyboard();
  let cancel = () => {};
  return (bytes) => {
    cancel();
    press(keyboard.push(bytes));
    if (keyboard.isWaiting) cancel = clock.after(ESCAPE_MS, () => press(keyboard.giveUp()));
  };
}

/** A terminal that gives whole lines ends them with a newline, whichever key that was. */
function ofLine(stroke: Stroke): Stroke {
  return 'key' in stroke && stroke.key === 'ctrl+j' ? { key: 'enter' } : stroke;
}
