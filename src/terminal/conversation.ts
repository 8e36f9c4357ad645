// Connects client events and key input to the views of one session, and draws them on the screen.
import { getErrorMessage } from '../base/index.ts';
import type { Client, ClientEvent, ConnectionState, DisplayRequest } from '../client/index.ts';
import type { Clock } from '../contracts/index.ts';
import type { SessionSnapshot, SessionState } from '../protocol/index.ts';
import { Activity } from './activity.ts';
import { createCompletionSources, runBuiltinCommand } from './commands/command-registry.ts';
import type { CommandContext, CredentialPorts, SessionListItem } from './commands/slash-command.ts';
import { ConnectionStatus } from './connection-status.ts';
import { DialogQueue } from './dialogs/dialog-queue.ts';
import { SelectDialog } from './dialogs/select-dialog.ts';
import { FileSearch, type FileSearchPorts } from './input/file-search.ts';
import { InputEditor } from './input/input-editor.ts';
import type { InputHistory } from './input/input-history.ts';
import { layout } from './layout.ts';
import { RenderScheduler } from './render-scheduler.ts';
import type { Screen } from './screen.ts';
import { SentMessages } from './sent-messages.ts';
import { describeStateChange } from './state-notices.ts';
import { StatusModel, type StatusPorts } from './status-model.ts';
import { Transcript } from './transcript/transcript.ts';
import { UserShell } from './user-shell.ts';

export interface ConversationPorts extends FileSearchPorts, StatusPorts {
  readonly client: Client;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly history: InputHistory;
  /** A new dialog ignores keys until no key was pressed for this long. */
  readonly keyIdleMs: number;
  /** Absent when the agent runs elsewhere: its credentials are there. */
  readonly credentials?: CredentialPorts | undefined;
  /** False for dumb terminals, which cannot show menus. */
  readonly canRedraw: boolean;
  listDirectory(folder: string): Promise<readonly string[]>;
  /** `undefined` when the agent offers no list. */
  listSessions(): Promise<readonly SessionListItem[] | undefined>;
  /** Resolves to the edited text. The editor owns the terminal until then. */
  openEditor(text: string): Promise<string>;
  quit(): void;
}

/** Commands that need no agent. */
const LOCAL_COMMAND = /^\/(?:quit|clear|edit)\b/;
const INTERRUPTED = 'The last run was interrupted by the end of the program. Enter /continue to continue it.';
const MISPLACED_KEY = /^\s*\/login\s+\S+\s+\S/;
/** Rows that the menu leaves free: input, footer and some output. */
const MIN_ROWS_BESIDE_MENU = 5;

type NoticeLevel = Parameters<CommandContext['notify']>[1];

export class Conversation implements CommandContext {
  readonly client: Client;
  readonly dialogs: DialogQueue;
  readonly credentials: CredentialPorts | undefined;
  readonly canHideInput: boolean;
  readonly input: InputEditor;
  readonly transcript: Transcript;
  readonly activity = new Activity();
  readonly #ports: ConversationPorts;
  readonly #status: StatusModel;
  readonly #scheduler: RenderScheduler;
  readonly #userShell: UserShell;
  readonly #sentMessages = new SentMessages();
  readonly #connection: ConnectionStatus;
  #shownSessionId: string;
  #isInterruptionShown = false;
  #pendingEdit: Promise<string> | undefined;
  #cancelAction: (() => Promise<unknown>) | undefined;

  constructor(ports: ConversationPorts, state: SessionState) {
    const { client, screen, clock } = ports;
    this.#ports = ports;
    this.client = client;
    this.credentials = ports.credentials;
    this.canHideInput = ports.canRedraw;
    this.#status = new StatusModel(ports, state);
    this.#shownSessionId = state.sessionId;
    this.#scheduler = new RenderScheduler(clock, () => this.#render());
    const isOtherClient = (name: string | undefined) => this.#isOtherClient(name);
    this.transcript = new Transcript(
      (lines) => screen.print(lines),
      () => screen.columns,
      isOtherClient,
    );
    this.#connection = new ConnectionStatus({ clock, notify: (message, level) => this.notify(message, level) });
    this.dialogs = new DialogQueue(clock, ports.keyIdleMs, this.transcript, {
      onChange: () => this.draw(),
      checkChoice: () => this.#connection.requireConnection(),
    });
    const { history, canRedraw } = ports;
    const fileSearch = new FileSearch(ports);
    this.input = new InputEditor({
      ...{ history, canRedraw },
      completionSources: createCompletionSources(this, {
        listDirectory: (folder) => ports.listDirectory(folder),
        searchFiles: (query, signal) => fileSearch.search(query, signal),
      }),
      onChange: () => this.draw(),
      stopFileSearch: () => fileSearch.stop(),
    });
    this.#userShell = new UserShell(client, this.transcript, () => screen.columns, isOtherClient);
  }

  get state(): SessionState {
    return this.#status.state;
  }

  get isBusy(): boolean {
    return this.activity.isBusy || this.#userShell.isBusy;
  }

  /** Handles text sent with Enter: a message, a slash command or a `!` shell command. */
  async submit(text: string): Promise<void> {
    if (text.trim() === '') return;
    // A key that was given as an argument by mistake is not written to the history.
    const recorded = MISPLACED_KEY.test(text) ? '' : text;
    void this.#ports.history
      .add(recorded)
      .catch((thrown: unknown) => this.notify(`Cannot save the input history: ${getErrorMessage(thrown)}`, 'warning'));
    try {
      if (!LOCAL_COMMAND.test(text)) this.#connection.requireConnection();
      if (text.startsWith('!')) await this.#userShell.run(text);
      else await this.#submitText(text.trim());
    } catch (thrown) {
      // Put a rejected message back into the input so that the user does not lose it.
      if (this.input.text === '' && !text.startsWith('/')) this.input.setText(text);
      this.notify(getErrorMessage(thrown), 'error');
    }
    this.draw();
  }

  async openEditor(text: string): Promise<void> {
    if (this.#pendingEdit) return;
    this.#pendingEdit = this.#ports.openEditor(text);
    try {
      this.input.setText(await this.#pendingEdit);
    } finally {
      this.#pendingEdit = undefined;
    }
    this.draw();
  }

  async waitForEditor(): Promise<void> {
    await this.#pendingEdit?.catch(() => {});
  }

  setCancelAction(cancel: (() => Promise<unknown>) | undefined): void {
    this.#cancelAction = cancel;
  }

  /** Aborts the run and the user shell commands, or else the sign-in. Queued messages return to the input. */
  abort(): void {
    if (!this.isBusy && !this.#cancelAction) return;
    this.#connection.requireConnection();
    const reportError = (thrown: unknown) => this.notify(getErrorMessage(thrown), 'error');
    if (!this.isBusy) this.#cancelAction?.().catch(reportError);
    if (this.#userShell.isBusy) this.client.call('abort_bash').catch(reportError);
    if (!this.activity.isBusy) return;
    // Both are sent at once: the queue is empty when the run ends, and a queue command that has to wait does not delay the abort.
    this.restoreQueuedMessages().catch(reportError);
    this.client.call('abort').catch(reportError);
  }

  /** Shown instead of the status line until the next key. */
  setHint(text: string | undefined): void {
    this.#status.hint = text;
  }

  async cycleThinkingLevel(): Promise<void> {
    this.#connection.requireConnection();
    await this.client.call('cycle_thinking_level');
  }

  async restoreQueuedMessages(): Promise<void> {
    this.#connection.requireConnection();
    const { steering, followUp } = await this.client.call('clear_queue');
    const queued = [...steering, ...followUp].map((text) => this.#sentMessages.findOriginal(text));
    if (queued.length === 0) return;
    this.input.setText([...queued, this.input.text].filter((text) => text !== '').join('\n'));
    this.draw();
  }

  readonly notify = (message: string, level?: NoticeLevel): void => {
    this.transcript.notify(message, level);
    this.draw();
  };

  async choose(
    title: string,
    choices: ConstructorParameters<typeof SelectDialog>[1],
    at = 0,
  ): Promise<string | undefined> {
    return this.dialogs.choose(new SelectDialog(title, choices, { at }));
  }

  setDraft(text: string): void {
    this.input.setText(text);
  }

  async refreshStatus(): Promise<void> {
    await this.#status.refresh();
    this.draw();
  }

  async showSession(title: string): Promise<void> {
    await this.refreshStatus();
    // The session may be running: other clients use it too.
    this.activity.synchronize(this.state, this.#ports.clock.now());
    this.#status.clearQueue();
    this.#startSession(title);
    await this.showHistory();
  }

  #startSession(title: string): void {
    this.transcript.startSession();
    const { sessionId, sessionName } = this.state;
    this.#shownSessionId = sessionId;
    this.#isInterruptionShown = false;
    this.notify(`── ${title}${sessionName ? `: ${sessionName}` : ''} ──`);
  }

  async showHistory(): Promise<void> {
    if (this.state.messageCount === 0) return;
    const { messages } = await this.client.call('get_messages');
    this.transcript.printHistory(messages);
    this.#reportInterruption();
    this.draw();
  }

  /** Each interrupted run is reported once, also when the connection is lost and restored. */
  #reportInterruption(): void {
    const { isInterrupted = false } = this.state;
    if (isInterrupted && !this.#isInterruptionShown) this.notify(INTERRUPTED, 'warning');
    this.#isInterruptionShown = isInterrupted;
  }

  /** Starts a run, or steers the current one. */
  async prompt(message: string): Promise<void> {
    this.#sentMessages.add(message);
    await this.client.call('prompt', { message, streamingBehavior: 'steer' });
  }

  async followUp(message: string): Promise<void> {
    this.#sentMessages.add(message);
    await this.client.call('prompt', { message, streamingBehavior: 'followUp' });
  }

  listSessions(): Promise<readonly SessionListItem[] | undefined> {
    return this.#ports.listSessions();
  }

  clearScreen(): void {
    this.#ports.screen.clear();
    this.draw();
  }

  quit(): void {
    this.#ports.quit();
  }

  /** Stops drawing. Later events are not shown. */
  close(): void {
    this.dialogs.dismissAll();
    this.#scheduler.stop();
  }

  draw(): void {
    this.#scheduler.renderNow();
  }

  #render(): { isAnimating: boolean } {
    const { screen, clock } = this.#ports;
    const { columns, rows } = screen;
    const connection = this.#connection.renderLines(clock.now());
    const input = {
      ...this.#status.toLayoutInput(columns),
      live: [...this.transcript.renderLive(), ...this.#userShell.renderLive(columns)],
      // In a dialog Esc has another meaning, which the dialog shows.
      activity: this.activity.renderLines(clock.now(), { canStop: this.dialogs.current === undefined }),
      connection,
      dialog: this.dialogs.render(columns, Math.max(6, rows - 4 - connection.length)),
      dialogKey: this.dialogs.current,
      draft: this.input.displayedDraft,
      menu: this.dialogs.current ? [] : this.input.renderMenu(columns, rows - MIN_ROWS_BESIDE_MENU),
    };
    screen.draw(layout(input, columns, rows));
    const isAnimating = this.activity.isBusy || this.dialogs.current !== undefined || !this.#connection.isConnected;
    return { isAnimating };
  }

  /** The terminal was attached, has moved to another session, or has missed events. */
  handleSnapshot(snapshot: SessionSnapshot): void {
    this.#status.handleSnapshot(snapshot);
    this.activity.synchronize(snapshot.state, this.#ports.clock.now());
    if (this.state.sessionId !== this.#shownSessionId) this.#startSession('Resumed session');
    this.transcript.showSnapshot(snapshot);
    this.#reportInterruption();
    void this.refreshStatus().catch(() => {});
  }

  handleConnectionState(state: ConnectionState): void {
    this.#connection.handleState(state);
    this.draw();
  }

  handleEvent(event: ClientEvent): void {
    this.#reportChangeOfOther(event);
    if (event.type === 'agent_start') this.#isInterruptionShown = false;
    this.activity.handleEvent(event, this.#ports.clock.now());
    this.transcript.handleEvent(event);
    this.#userShell.handleEvent(event);
    if (this.#status.handleEvent(event)) void this.refreshStatus().catch(() => {});
    if (event.type === 'message_update' || event.type === 'tool_execution_update') this.#scheduler.renderSoon();
    else this.draw();
  }

  handleDisplay(display: DisplayRequest): void {
    this.#status.handleDisplay(display);
    if (display.method === 'notify') this.notify(display.message, display.notifyType);
    else if (display.method === 'open_url') this.notify(`Open ${display.url}\n${display.instructions ?? ''}`.trim());
    else if (display.method === 'setTitle') this.#ports.screen.setTitle(display.title);
    else if (display.method === 'set_editor_text') this.input.setText(display.text);
    else if (display.method === 'cancel') this.dialogs.cancel(display.targetId, display.answeredBy);
    this.draw();
  }

  async #submitText(text: string): Promise<void> {
    if (await runBuiltinCommand(text, this)) return;
    await this.prompt(text);
    await this.refreshStatus();
  }

  #isOtherClient(name: string | undefined): boolean {
    const { attachment } = this.client;
    return name !== undefined && attachment !== undefined && name !== attachment.clientId;
  }

  /** Own changes are reported by the command that made them. */
  #reportChangeOfOther(event: ClientEvent): void {
    const { client = '' } = event;
    if (!this.#isOtherClient(client)) return;
    if (event.type === 'state_changed') {
      const notice = describeStateChange(this.state, event.state, client);
      if (notice) this.notify(notice);
    }
    if (event.type === 'conversation_changed' && event.reason !== 'compacted') {
      const reportError = (thrown: unknown) => this.notify(getErrorMessage(thrown), 'error');
      this.showSession(`${client} has moved the conversation`).catch(reportError);
    }
  }
}
