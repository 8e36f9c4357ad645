// The hall, terminal: one conversation with an agent: events come in, keys come in, and a picture of both is kept. Knows the
// client's calls; the terminal only as a screen.
import { messageOf } from '../base/index.ts';
import type { Client, Display } from '../client/index.ts';
import type { Clock } from '../contracts/index.ts';
import type { AgentEvent, SessionState } from '../protocol/index.ts';
import { Activity } from './activity.ts';
import { Asks } from './asks/asks.ts';
import { SelectPane } from './asks/select.ts';
import type { EarlierSession, Room } from './commands/command.ts';
import { mustKnow, slashWord, vocabulary, wordsAfter } from './commands/vocabulary.ts';
import { Drawing } from './drawing.ts';
import type { Sources } from './input/completion.ts';
import type { History } from './input/history.ts';
import { Typing } from './input/typing.ts';
import { picture } from './picture.ts';
import type { Screen } from './screen.ts';
import { Shell } from './shell.ts';
import { Standing } from './standing.ts';
import { Transcript } from './transcript/transcript.ts';

export interface ConversationPorts {
  readonly client: Client;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly history: History;
  /** How long keys must rest before a question that came up takes them for its answer. */
  readonly restMs: number;
  names(folder: string): Promise<readonly string[]>;
  sessions(): Promise<readonly EarlierSession[]>;
  /** What the person made of the text in an editor. The terminal is the editor's meanwhile. */
  edit(text: string): Promise<string>;
  leave(): void;
}

/** More than anybody scrolls back for. */
const HISTORY_MESSAGES = 40;

type Say = Parameters<Room['say']>[1];

export class Conversation implements Room {
  readonly client: Client;
  readonly asks: Asks;
  readonly typing: Typing;
  readonly transcript: Transcript;
  readonly activity = new Activity();
  readonly #ports: ConversationPorts;
  readonly #standing: Standing;
  readonly #drawing: Drawing;
  readonly #shell: Shell;
  #editing: Promise<string> | undefined;

  constructor(ports: ConversationPorts, state: SessionState) {
    const { client, screen, clock } = ports;
    this.#ports = ports;
    this.client = client;
    this.#standing = new Standing(client, state);
    this.#drawing = new Drawing(clock, () => this.#picture());
    this.transcript = new Transcript(
      (lines) => screen.print(lines),
      () => screen.columns,
    );
    this.asks = new Asks(clock, ports.restMs, () => this.draw());
    this.typing = new Typing(ports.history, this.#sources(), () => this.draw());
    this.#shell = new Shell(client, this.transcript, () => screen.columns);
  }

  get state(): SessionState {
    return this.#standing.state;
  }

  get isBusy(): boolean {
    return this.activity.isBusy || this.#shell.isBusy;
  }

  /** Everything that the person says with Enter. */
  async submit(text: string): Promise<void> {
    if (text.trim() === '') return;
    void this.#ports.history
      .add(text)
      .catch((thrown: unknown) => this.say(`Your words are not kept: ${messageOf(thrown)}`, 'warning'));
    try {
      if (text.startsWith('!')) await this.#shell.run(text);
      else await this.#spoken(text.trim());
    } catch (thrown) {
      // Nothing that was written is lost because it was refused.
      if (this.typing.draft.text === '' && !text.startsWith('/')) this.typing.write(text);
      this.say(messageOf(thrown), 'error');
    }
    this.draw();
  }

  async edit(text: string): Promise<void> {
    if (this.#editing) return;
    this.#editing = this.#ports.edit(text);
    try {
      this.typing.write(await this.#editing);
    } finally {
      this.#editing = undefined;
    }
    this.draw();
  }

  /** Settles once no editor is open. */
  async edited(): Promise<void> {
    await this.#editing?.catch(() => {});
  }

  /** Stops whatever goes on. */
  stop(): void {
    const failed = (thrown: unknown) => this.say(messageOf(thrown), 'error');
    if (this.#shell.isBusy) this.client.call('abort_bash').catch(failed);
    if (this.activity.isBusy) this.client.call('abort').catch(failed);
  }

  /** Words that stand in the place of the status until the next key. */
  hint(text: string | undefined): void {
    this.#standing.hint = text;
  }

  async takeBack(): Promise<void> {
    const { steering, followUp } = await this.client.call('clear_queue');
    const texts = [...steering, ...followUp, this.typing.draft.text].filter((text) => text !== '');
    this.typing.write(texts.join('\n'));
    this.draw();
  }

  say(message: string, level?: Say): void {
    this.transcript.say(message, level);
    this.draw();
  }

  async choose(
    title: string,
    choices: ConstructorParameters<typeof SelectPane>[1],
    at = 0,
  ): Promise<string | undefined> {
    return this.asks.choose(new SelectPane(title, choices, { at }));
  }

  write(text: string): void {
    this.typing.write(text);
  }

  async refresh(): Promise<void> {
    await this.#standing.refresh();
    this.draw();
  }

  async turnTo(title: string): Promise<void> {
    await this.refresh();
    this.#standing.forgetQueue();
    this.say(`── ${title}${this.state.sessionName ? `: ${this.state.sessionName}` : ''} ──`);
    await this.showHistory();
  }

  async showHistory(): Promise<void> {
    if (this.state.messageCount === 0) return;
    const { messages } = await this.client.call('get_messages');
    const earlier = messages.length - HISTORY_MESSAGES;
    if (earlier > 0) this.transcript.say(`… ${earlier} earlier messages; /export writes all of them to a page`);
    this.transcript.history(messages.slice(-HISTORY_MESSAGES));
    this.draw();
  }

  /** While something runs, it steers; otherwise it begins a run. */
  async prompt(message: string): Promise<void> {
    await this.client.call('prompt', { message, streamingBehavior: 'steer' });
  }

  async later(message: string): Promise<void> {
    await this.client.call('prompt', { message, streamingBehavior: 'followUp' });
  }

  sessions(): Promise<readonly EarlierSession[]> {
    return this.#ports.sessions();
  }

  clear(): void {
    this.#ports.screen.clear();
    this.draw();
  }

  leave(): void {
    this.#ports.leave();
  }

  /** The terminal is given back: whatever happens from here on is not shown. */
  close(): void {
    this.asks.dismissAll();
    this.#drawing.end();
  }

  draw(): void {
    this.#drawing.now();
  }

  #picture(): { moves: boolean } {
    const { screen, clock } = this.#ports;
    const { columns, rows } = screen;
    const scene = {
      ...this.#standing.scene(),
      live: [...this.transcript.live(), ...this.#shell.live(columns)],
      activity: this.activity.lines(clock.now()),
      pane: this.asks.view(columns, Math.max(6, rows - 4)),
      asking: this.asks.current,
      draft: this.typing.draft,
      menu: this.asks.current ? [] : this.typing.menu(columns),
    };
    screen.draw(picture(scene, columns, rows));
    return { moves: this.activity.isBusy || this.asks.current !== undefined };
  }

  take(event: AgentEvent): void {
    this.activity.take(event, this.#ports.clock.now());
    this.transcript.take(event);
    this.#shell.take(event);
    if (this.#standing.take(event)) void this.refresh().catch(() => {});
    if (event.type === 'message_update' || event.type === 'tool_execution_update') this.#drawing.soon();
    else this.draw();
  }

  show(display: Display): void {
    this.#standing.show(display);
    if (display.method === 'notify') this.say(display.message, display.notifyType);
    else if (display.method === 'setTitle') this.#ports.screen.title(display.title);
    else if (display.method === 'set_editor_text') this.typing.write(display.text);
    else if (display.method === 'cancel') this.asks.withdraw(display.targetId);
    this.draw();
  }

  async #spoken(text: string): Promise<void> {
    const word = slashWord(text);
    if (word?.own) return word.own.run(word.args, this);
    if (word) await mustKnow(word.name, this);
    await this.prompt(text);
    await this.refresh();
  }

  #sources(): Sources {
    return {
      commands: () => vocabulary(this),
      words: (name) => wordsAfter(name, this),
      names: (folder) => this.#ports.names(folder),
    };
  }
}
