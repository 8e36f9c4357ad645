// Runs an interactive session: acquires the terminal, converses until the user quits or the agent exits, then releases it.
import { createDeferred, type Deferred, Fault } from '../base/index.ts';
import { type Client, type ConnectedAgent, type ExitInfo, RpcError } from '../client/index.ts';
import { KNOWN_EVENTS } from '../client/known-events.ts';
import type { Clock } from '../contracts/index.ts';
import type { Tty } from '../contracts/tty.ts';
import type { SessionState } from '../protocol/index.ts';
import type { CredentialPorts, SessionListItem } from './commands/slash-command.ts';
import { Conversation } from './conversation.ts';
import { KEY_IDLE_MS } from './dialogs/dialog-queue.ts';
import { type HistoryFile, InputHistory } from './input/input-history.ts';
import { createInputRouter } from './input-router.ts';
import { loadSyntaxHighlighter } from './markdown/highlight-code.ts';
import { PlainScreen } from './plain-screen.ts';
import { renderWelcome } from './render-welcome.ts';
import { AnsiScreen, type Screen } from './screen.ts';
import { ansi, detectColourSupport } from './text/ansi.ts';

export { sanitize } from '../base/safe-text.ts';
export type { CredentialPorts } from './commands/slash-command.ts';

export interface RemoteAgent {
  /** For the user: the address, the name of this client, the access. */
  readonly location: string;
  /** The connection to a server, which sends a snapshot first. Absent for a process that was started by a command. */
  readonly connection?: Pick<ConnectedAgent, 'onConnectionState'> | undefined;
}

export interface TerminalPorts {
  readonly client: Client;
  /** Present when the agent is not a process of this terminal: it continues when the user quits. */
  readonly remote?: RemoteAgent | undefined;
  readonly tty: Tty;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly history: HistoryFile;
  /** Absent when the agent runs elsewhere: its credentials are there. */
  readonly credentials?: CredentialPorts | undefined;
  readonly version: string;
  /** The directory of the session, with `~` for the home directory. */
  readonly directory: string;
  readBranch(): Promise<string | undefined>;
  listDirectory(folder: string): Promise<readonly string[]>;
  /** Lists the files of the project until `onFile` returns true or the signal aborts. */
  listFiles(onFile: (path: string) => boolean, signal: AbortSignal): Promise<void>;
  /** `undefined` when the agent offers no list. */
  listSessions(): Promise<readonly SessionListItem[] | undefined>;
  /** Runs the user's editor on a text, in the foreground. Rejects with the fault `aborted` when the editor was killed. */
  editText(text: string): Promise<string>;
  /** Ask for a session to resume first. */
  readonly shouldChooseSession: boolean;
  /** Ends the conversation as if the user had quit. */
  readonly stopSignal: AbortSignal;
  /** Lines that the agent process writes to stderr. */
  onStderr(listener: (line: string) => void): void;
}

export type ConversationEnd =
  | { readonly kind: 'quit'; readonly state: SessionState }
  | { readonly kind: 'agent-exited'; readonly exitInfo: ExitInfo };

/** Resolves when the user quits or the agent exits. The terminal is released; the agent is not stopped. */
export async function runConversation(ports: TerminalPorts): Promise<ConversationEnd> {
  const { client, tty, env, remote } = ports;
  const opened = subscribe(ports);
  const quitRequested = createDeferred();
  ports.stopSignal.addEventListener('abort', () => quitRequested.resolve(), { once: true });
  const state = await client.call('get_state');
  if (!remote?.connection) await selectEvents(client);
  const history = new InputHistory(ports.history);
  await history.load();
  const colourSupport = detectColourSupport(env);
  const canRedraw = colourSupport !== 'none';
  const screen = canRedraw ? new AnsiScreen(tty, colourSupport) : new PlainScreen(tty);
  const quit = () => quitRequested.resolve();
  const edit = (text: string) => editInForeground(ports, { screen, isDrawn: canRedraw }, text);
  const conversation = new Conversation(
    { ...ports, screen, history, canRedraw, quit, openEditor: edit, keyIdleMs: canRedraw ? KEY_IDLE_MS : 0 },
    state,
  );
  const canDetach = remote?.connection !== undefined;
  tty.acquire(createInputRouter(conversation, { ...ports, screen, canRedraw, canDetach, quit }), {
    raw: canRedraw,
    restoreSequence: canRedraw ? ansi.restoreTerminal : '',
  });
  if (canRedraw) tty.write(ansi.enableInputModes);
  try {
    await showWelcome(conversation, ports, screen, colourSupport === 'colours', () => opened.resolve(conversation));
    const exitInfo = await Promise.race([quitRequested.promise, client.closed]);
    await conversation.waitForEditor();
    // The agent exited: save the unsent draft, so that the Up key finds it in the next session.
    if (exitInfo) await history.add(conversation.input.text).catch(() => {});
    return exitInfo ? { kind: 'agent-exited', exitInfo } : { kind: 'quit', state: conversation.state };
  } finally {
    conversation.close();
    screen.suspend();
    tty.release();
  }
}

/** Some events are sent only to hosts that list them in their filter. A server sends all of them. */
async function selectEvents(client: Client): Promise<void> {
  try {
    await client.call('set_event_filter', { events: KNOWN_EVENTS });
  } catch (thrown) {
    // Agents of an earlier version do not have this command.
    if (!(thrown instanceof RpcError)) throw thrown;
  }
}

async function editInForeground(
  { tty, editText }: TerminalPorts,
  { screen, isDrawn }: { screen: Screen; isDrawn: boolean },
  text: string,
): Promise<string> {
  screen.suspend();
  if (isDrawn) tty.write(ansi.saveCursor);
  return tty.releaseDuring(() =>
    editText(text).catch((thrown: unknown) => {
      if (isDrawn && thrown instanceof Fault && thrown.code === 'aborted') tty.write(ansi.resetScreenModes);
      throw thrown;
    }),
  );
}

async function showWelcome(
  conversation: Conversation,
  ports: TerminalPorts,
  screen: Screen,
  hasColours: boolean,
  open: () => void,
): Promise<void> {
  const { version, remote } = ports;
  const options = { version, width: screen.columns, location: remote?.location };
  conversation.transcript.printBlock(renderWelcome(conversation.state, options));
  conversation.draw();
  const highlighterLoaded = hasColours ? loadSyntaxHighlighter().catch(() => {}) : undefined;
  // The snapshot of a server is the first frame that is handled.
  if (!remote?.connection) open();
  if (conversation.state.messageCount > 0) await highlighterLoaded;
  if (remote?.connection) open();
  else await conversation.showHistory();
  conversation.draw();
  // After the first drawing, so that reading the cost and the branch does not delay it.
  void conversation.refreshStatus().catch(() => {});
  ports.onStderr((line) => conversation.notify(line, 'warning'));
  if (ports.shouldChooseSession) void conversation.submit('/resume');
}

/** Subscribes before the first call, because the agent may open a dialog before its first reply. */
function subscribe({ client, remote }: TerminalPorts): Deferred<Conversation> {
  const opened = createDeferred<Conversation>();
  const runWhenOpened = (handler: (conversation: Conversation) => void) => void opened.promise.then(handler);
  client.onEvent((event) => runWhenOpened((conversation) => conversation.handleEvent(event)));
  client.onSnapshot((snapshot) => runWhenOpened((conversation) => conversation.handleSnapshot(snapshot)));
  client.onDisplay((display) => runWhenOpened((conversation) => conversation.handleDisplay(display)));
  client.onDialog(async (request) => (await opened.promise).dialogs.showRequest(request));
  client.onPromptFailed(({ message }) => runWhenOpened((conversation) => conversation.notify(message, 'error')));
  remote?.connection?.onConnectionState((state) =>
    runWhenOpened((conversation) => conversation.handleConnectionState(state)),
  );
  return opened;
}
