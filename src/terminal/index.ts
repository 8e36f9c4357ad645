// The hall, terminal: a person and an agent. Takes the terminal, converses until one of them leaves, and gives it back.
import { type Deferred, deferred } from '../base/index.ts';
import type { Client, Farewell } from '../client/index.ts';
import { KNOWN_EVENTS } from '../client/known-events.ts';
import type { Clock } from '../contracts/index.ts';
import type { Tty } from '../contracts/tty.ts';
import type { SessionState } from '../protocol/index.ts';
import { REST_MS } from './asks/asks.ts';
import type { EarlierSession } from './commands/command.ts';
import { Conversation } from './conversation.ts';
import { History, type HistoryPlace } from './input/history.ts';
import { Keyboard, type Stroke } from './input/keys.ts';
import { PlainScreen } from './plain-screen.ts';
import { DrawnScreen } from './screen.ts';
import { createShortcuts } from './shortcuts.ts';
import { paletteFor, terminal } from './text/paint.ts';
import { welcome } from './welcome.ts';

export { plain } from './text/plain.ts';

export interface TerminalPorts {
  readonly client: Client;
  readonly tty: Tty;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly history: HistoryPlace;
  readonly version: string;
  names(folder: string): Promise<readonly string[]>;
  sessions(): Promise<readonly EarlierSession[]>;
  /** Begin with choosing an earlier conversation. */
  readonly resume: boolean;
  /** The person is not asked any more. */
  readonly stopped: AbortSignal;
  /** What the agent writes beside its frames, line by line. */
  onStderr(listener: (line: string) => void): void;
}

/** A lone escape is the key when nothing follows for so long. */
const ESCAPE_MS = 40;

export type Ending =
  | { readonly how: 'left'; readonly state: SessionState }
  | { readonly how: 'lost'; readonly farewell: Farewell };

/** Resolves when the person leaves, or the agent is gone. The terminal is given back by then; the agent is still there. */
export async function converse(ports: TerminalPorts): Promise<Ending> {
  const { client, tty, clock, env } = ports;
  const opened = listen(client);
  const state = await client.call('get_state');
  // Some events are told only to hosts that name them.
  await client.call('set_event_filter', { events: KNOWN_EVENTS });
  const palette = paletteFor(env);
  const isDrawn = palette !== 'nothing';
  const plainScreen = new PlainScreen(tty);
  const screen = isDrawn ? new DrawnScreen(tty, palette) : plainScreen;
  const history = new History(ports.history);
  await history.load();
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
    if (ports.stopped.aborted) resolve();
    ports.stopped.addEventListener('abort', () => resolve(), { once: true });
  });
  const conversation = new Conversation({ ...ports, screen, history, leave, restMs: isDrawn ? REST_MS : 0 }, state);
  opened.resolve(conversation);
  const shortcuts = createShortcuts(conversation, clock, () => {
    screen.leave();
    tty.suspend();
  });
  const press = (stroke: Stroke) => {
    conversation.hint(undefined);
    const interrupts = 'key' in stroke && stroke.key === 'ctrl+c';
    if (conversation.asks.stroke(stroke) && !interrupts) return;
    if ('key' in stroke && shortcuts.press(stroke.key)) return;
    const said = conversation.typing.stroke(stroke);
    if (said !== undefined) void conversation.submit(said);
  };
  const keys = createKeys(clock, isDrawn, (strokes) => {
    for (const stroke of strokes) press(stroke);
    if (!isDrawn) plainScreen.answered();
    conversation.draw();
  });
  tty.take(
    {
      typed: keys,
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
    },
    { raw: isDrawn, farewell: isDrawn ? terminal.end : '' },
  );
  if (isDrawn) tty.write(terminal.begin);
  ports.onStderr((line) => conversation.say(line, 'warning'));
  try {
    conversation.transcript.part(welcome(state, ports.version, screen.columns));
    await conversation.showHistory();
    conversation.draw();
    if (ports.resume) void conversation.submit('/resume');
    const farewell = await Promise.race([left, client.closed]);
    return farewell ? { how: 'lost', farewell } : { how: 'left', state: conversation.state };
  } finally {
    conversation.close();
    screen.leave();
    tty.release();
  }
}

/** From the first moment: an agent may ask something before it has answered anything. */
function listen(client: Client): Deferred<Conversation> {
  const opened = deferred<Conversation>();
  client.on((event) => void opened.promise.then((conversation) => conversation.take(event)));
  client.onShow((display) => void opened.promise.then((conversation) => conversation.show(display)));
  client.onAsk(async (question) => (await opened.promise).asks.question(question));
  client.onPromptFailed(
    ({ message }) => void opened.promise.then((conversation) => conversation.say(message, 'error')),
  );
  return opened;
}

/** Bytes in, strokes out, as soon as it is sure what they mean. */
function createKeys(clock: Clock, isRaw: boolean, press: (strokes: readonly Stroke[]) => void) {
  const keyboard = new Keyboard();
  let cancel = () => {};
  return (bytes: Uint8Array) => {
    cancel();
    press(isRaw ? keyboard.push(bytes) : keyboard.push(bytes).map(asTyped));
    if (keyboard.isWaiting) cancel = clock.after(ESCAPE_MS, () => press(keyboard.giveUp()));
  };
}

/** A terminal that gives whole lines ends them with a newline, whichever key that was. */
function asTyped(stroke: Stroke): Stroke {
  return 'key' in stroke && stroke.key === 'ctrl+j' ? { key: 'enter' } : stroke;
}
