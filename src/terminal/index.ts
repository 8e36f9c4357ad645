// The hall, terminal: a person and an agent. Takes the terminal, converses until one of them leaves, and gives it back.
import { type Deferred, deferred, Fault } from '../base/index.ts';
import type { Client, Farewell } from '../client/index.ts';
import { KNOWN_EVENTS } from '../client/known-events.ts';
import type { Clock } from '../contracts/index.ts';
import type { Tty } from '../contracts/tty.ts';
import type { SessionState } from '../protocol/index.ts';
import { REST_MS } from './asks/asks.ts';
import type { EarlierSession } from './commands/command.ts';
import { Conversation } from './conversation.ts';
import { createEars } from './ears.ts';
import { History, type HistoryPlace } from './input/history.ts';
import { PlainScreen } from './plain-screen.ts';
import { DrawnScreen, type Screen } from './screen.ts';
import { paletteFor, terminal } from './text/paint.ts';
import { welcome } from './welcome.ts';

export { plain } from '../base/plain.ts';

export interface TerminalPorts {
  readonly client: Client;
  readonly tty: Tty;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly history: HistoryPlace;
  readonly version: string;
  names(folder: string): Promise<readonly string[]>;
  sessions(): Promise<readonly EarlierSession[]>;
  /** Runs the person's editor on a text, in the foreground. An editor that was killed rejects with the fault `aborted`. */
  edit(text: string): Promise<string>;
  /** Begin with choosing an earlier conversation. */
  readonly resume: boolean;
  /** The person is not asked any more. */
  readonly stopped: AbortSignal;
  /** What the agent writes beside its frames, line by line. */
  onStderr(listener: (line: string) => void): void;
}

export type Ending =
  | { readonly how: 'left'; readonly state: SessionState }
  | { readonly how: 'lost'; readonly farewell: Farewell };

/** Resolves when the person leaves, or the agent is gone. The terminal is given back by then; the agent is still there. */
export async function converse(ports: TerminalPorts): Promise<Ending> {
  const { client, tty, env } = ports;
  const opened = listen(client);
  const left = deferred();
  ports.stopped.addEventListener('abort', () => left.resolve(), { once: true });
  const state = await client.call('get_state');
  // Some events are told only to hosts that name them.
  await client.call('set_event_filter', { events: KNOWN_EVENTS });
  const history = new History(ports.history);
  await history.load();
  const palette = paletteFor(env);
  const isDrawn = palette !== 'nothing';
  const screen = isDrawn ? new DrawnScreen(tty, palette) : new PlainScreen(tty);
  const leave = () => left.resolve();
  const edit = (text: string) => lent(ports, { screen, isDrawn }, text);
  const conversation = new Conversation(
    { ...ports, screen, history, leave, edit, restMs: isDrawn ? REST_MS : 0 },
    state,
  );
  tty.take(createEars(conversation, { ...ports, screen, isDrawn, leave }), {
    raw: isDrawn,
    farewell: isDrawn ? terminal.end : '',
  });
  if (isDrawn) tty.write(terminal.begin);
  opened.resolve(conversation);
  try {
    await greet(conversation, ports, screen);
    const farewell = await Promise.race([left.promise, client.closed]);
    await conversation.edited();
    // What was not said yet is found with the Up key next time.
    if (farewell) await history.add(conversation.typing.draft.text).catch(() => {});
    return farewell ? { how: 'lost', farewell } : { how: 'left', state: conversation.state };
  } finally {
    conversation.close();
    screen.leave();
    tty.release();
  }
}

async function lent(
  { tty, edit }: TerminalPorts,
  { screen, isDrawn }: { screen: Screen; isDrawn: boolean },
  text: string,
): Promise<string> {
  screen.leave();
  if (isDrawn) tty.write(terminal.lend);
  return tty.lend(() =>
    edit(text).catch((thrown: unknown) => {
      if (isDrawn && thrown instanceof Fault && thrown.code === 'aborted') tty.write(terminal.recover);
      throw thrown;
    }),
  );
}

async function greet(conversation: Conversation, ports: TerminalPorts, screen: Screen): Promise<void> {
  conversation.transcript.part(welcome(conversation.state, ports.version, screen.columns));
  await conversation.showHistory();
  conversation.draw();
  ports.onStderr((line) => conversation.say(line, 'warning'));
  if (ports.resume) void conversation.submit('/resume');
}

/** From the first moment: an agent may ask something before it has answered anything. */
function listen(client: Client): Deferred<Conversation> {
  const opened = deferred<Conversation>();
  const later = (act: (conversation: Conversation) => void) => void opened.promise.then(act);
  client.on((event) => later((conversation) => conversation.take(event)));
  client.onShow((display) => later((conversation) => conversation.show(display)));
  client.onAsk(async (question) => (await opened.promise).asks.question(question));
  client.onPromptFailed(({ message }) => later((conversation) => conversation.say(message, 'error')));
  return opened;
}
