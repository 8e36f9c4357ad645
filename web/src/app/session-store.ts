// One session in the page: its connection, its view, and the calls that the page makes. Frames are applied once per animation frame.
import { batch, type Signal, signal } from '@preact/signals';
import { KNOWN_EVENTS } from '../../../src/client/known-events.ts';
import type {
  AgentMessage,
  SessionState,
  SessionStats,
  SlashCommandEntry,
  SubagentSnapshot,
} from '../../../src/protocol/index.ts';
import { FrameLog } from '../frames/frame-log.ts';
import { insertMessages, replaceMessages } from '../store/conversation.ts';
import { applyState, reduceFrame } from '../store/reduce-frame.ts';
import { dismissClosedDialog, removeDialog } from '../store/reduce-ui-request.ts';
import { createSessionView, createSubagentView, type SessionView, type SubagentView } from '../store/session-view.ts';
import { Connection, type ConnectionState } from '../wire/connection.ts';
import type { CallError } from '../wire/pending-calls.ts';
import type { IncomingFrame } from '../wire/server-frames.ts';
import { createBrowserPorts } from './browser-ports.ts';
import { getSocketUrl } from './http-api.ts';
import { createFlushScheduler } from './schedule-flush.ts';

/** In milliseconds. Applying more frames continues with the next animation frame. */
const REDUCE_TIME_MS = 12;

/** Messages that are loaded at once. */
const PAGE_SIZE = 100;

interface MessageRange {
  readonly messages: readonly AgentMessage[];
  readonly start: number;
  readonly totalMessages: number;
}

function mergeSubagent(known: SubagentView | undefined, snapshot: SubagentSnapshot): SubagentView {
  const { id, agent, sessionFile, parentToolCallId, description, task, assignment, status, progress } = snapshot;
  const base = known ?? createSubagentView(id, agent);
  const fields = { sessionFile, parentToolCallId, description, task: assignment ?? task, status, progress };
  const { verification = base.verification, error = base.error } = snapshot;
  return { ...base, ...fields, verification, error };
}

export class SessionStore {
  readonly view: Signal<SessionView>;
  readonly connectionState: Signal<ConnectionState>;
  readonly log = new FrameLog();
  /** Changes whenever frames were logged, at most once per animation frame. */
  readonly logVersion = signal(0);
  /** The last reason why a call failed, for the user. */
  readonly onFailure: (message: string) => void;
  #pending: IncomingFrame[] = [];
  readonly #scheduler: { schedule(): void; cancel(): void };
  #connection: Connection | undefined;
  readonly #client: string;
  readonly #loading = new Set<number>();
  #isReloading = false;

  constructor(sessionId: string, client: string, onFailure: (message: string) => void) {
    this.view = signal(createSessionView(sessionId));
    this.connectionState = signal<ConnectionState>({ kind: 'connecting', attempt: 0 });
    this.onFailure = onFailure;
    this.#client = client;
    this.#scheduler = createFlushScheduler(() => this.#flushSome());
  }

  /** Connects, from the last event that this store has seen. */
  connect(): void {
    this.#connection ??= new Connection(createBrowserPorts(), {
      buildUrl: () => {
        const { sessionId, seq, isLoaded } = this.#latest();
        return getSocketUrl(sessionId, isLoaded ? seq : 0, this.#client);
      },
      onState: (state) => {
        this.connectionState.value = state;
      },
      onFrame: (frame, text) => {
        this.log.add('in', frame, text, Date.now());
        this.#pending.push(frame);
        this.#scheduler.schedule();
      },
      onSent: (frame, text) => {
        this.log.add('out', frame, text, Date.now());
        this.#scheduler.schedule();
      },
      onAttached: () => void this.#prepare(),
    });
  }

  disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.flush();
  }

  retryNow(): void {
    this.#connection?.retryNow();
  }

  /** Rejects with CallError. */
  call(command: string, params: object = {}): Promise<unknown> {
    if (!this.#connection) return Promise.reject(new Error('There is no connection to the server'));
    return this.#connection.call(command, params);
  }

  /** Like `call`, but a failure is shown to the user. Returns false if it failed. */
  async run(command: string, params: object = {}): Promise<boolean> {
    try {
      await this.call(command, params);
      return true;
    } catch (thrown) {
      this.onFailure(thrown instanceof Error ? thrown.message : String(thrown));
      return false;
    }
  }

  answerDialog(id: string, answer: object): void {
    if (this.#connection?.send({ type: 'extension_ui_response', id, ...answer })) {
      this.#change((view) => removeDialog(view, id));
    } else this.onFailure('There is no connection to the server');
  }

  dismissDialog(id: string): void {
    this.#change((view) => dismissClosedDialog(view, id));
  }

  dismissLink(id: string): void {
    this.#change((view) => ({ ...view, links: view.links.filter((link) => link.id !== id) }));
  }

  /** Loads the messages from this index on that are not loaded, at most to the end of their page. */
  async loadMessages(index: number): Promise<void> {
    const page = Math.floor(index / PAGE_SIZE);
    if (this.#loading.has(page) || this.connectionState.value.kind !== 'open') return;
    const { generation, messages } = this.view.value.conversation;
    const end = Math.min((page + 1) * PAGE_SIZE, messages.length);
    const missing = messages.slice(page * PAGE_SIZE, end).indexOf(undefined);
    if (missing < 0) return;
    this.#loading.add(page);
    try {
      const start = page * PAGE_SIZE + missing;
      const range = (await this.call('get_messages_range', { start, end })) as MessageRange;
      this.flush();
      this.#change((view) => {
        if (view.conversation.generation !== generation) return view;
        return { ...view, conversation: insertMessages(view.conversation, range.start, range.messages) };
      });
    } catch (thrown) {
      if (!(thrown as CallError).isLost) this.onFailure(`Messages could not be loaded: ${(thrown as Error).message}`);
    } finally {
      this.#loading.delete(page);
    }
  }

  /** Loads the conversation of a subagent from its log. */
  async loadSubagent(subagent: SubagentView): Promise<void> {
    const { id, sessionFile } = subagent;
    const params = { subagentId: id, ...(sessionFile ? { sessionFile } : {}) };
    const { messages } = (await this.call('get_subagent_messages', params)) as { messages: AgentMessage[] };
    this.flush();
    this.#change((view) => {
      const known = view.subagents.get(id) ?? subagent;
      const start = { messages, totalMessages: messages.length, firstIndex: 0 };
      const conversation = replaceMessages(known.conversation, start);
      return { ...view, subagents: new Map(view.subagents).set(id, { ...known, conversation }) };
    });
  }

  /** Applies all frames that have arrived. */
  flush(): void {
    this.#applyPending(Number.POSITIVE_INFINITY);
    this.#scheduler.cancel();
  }

  #latest(): SessionView {
    this.flush();
    return this.view.value;
  }

  #change(change: (view: SessionView) => SessionView): void {
    this.view.value = change(this.view.value);
  }

  #flushSome(): void {
    this.#applyPending(performance.now() + REDUCE_TIME_MS);
    if (this.#pending.length > 0) this.#scheduler.schedule();
  }

  #applyPending(deadline: number): void {
    const frames = this.#pending;
    let view = this.view.value;
    let applied = 0;
    while (applied < frames.length && (applied % 64 !== 0 || performance.now() < deadline)) {
      view = reduceFrame(view, frames[applied++] as IncomingFrame);
    }
    this.#pending = applied === frames.length ? [] : frames.slice(applied);
    batch(() => {
      this.view.value = view;
      this.logVersion.value = this.log.count;
    });
    if (view.isOutdated && !this.#isReloading) void this.#reload();
  }

  /** What the page needs besides the snapshot. Commands that are refused are not needed to show the session. */
  async #prepare(): Promise<void> {
    await Promise.allSettled([
      this.call('set_event_filter', { events: KNOWN_EVENTS }),
      this.call('set_subagent_subscription', { level: 'events' }),
      this.call('get_session_stats').then((stats) => this.applyStats(stats as SessionStats)),
      this.call('get_available_commands').then((reply) => {
        const { commands } = reply as { commands: readonly SlashCommandEntry[] };
        this.#change((view) => ({ ...view, commands }));
      }),
      this.call('get_subagents', { includeEnded: true }).then((reply) =>
        this.#addSubagents(reply as { subagents: SubagentSnapshot[] }),
      ),
    ]);
  }

  applyStats({ cost, tokens, contextUsage }: SessionStats): void {
    this.flush();
    const totals = { cost, tokens: tokens.total, contextTokens: contextUsage?.tokens };
    this.#change((view) => ({ ...view, totals }));
  }

  #addSubagents({ subagents }: { subagents: readonly SubagentSnapshot[] }): void {
    this.flush();
    this.#change((view) => {
      const known = new Map(view.subagents);
      for (const snapshot of subagents) known.set(snapshot.id, mergeSubagent(known.get(snapshot.id), snapshot));
      return { ...view, subagents: known };
    });
  }

  /** The path of the conversation was replaced. */
  async #reload(): Promise<void> {
    this.#isReloading = true;
    try {
      const state = (await this.call('get_state')) as SessionState;
      const range = (await this.call('get_messages_range', { start: -PAGE_SIZE })) as MessageRange;
      this.flush();
      this.#change((view) => ({
        ...applyState(view, state),
        isOutdated: false,
        conversation: replaceMessages(view.conversation, {
          messages: range.messages,
          firstIndex: range.start,
          totalMessages: range.totalMessages,
        }),
      }));
      await this.call('get_session_stats').then((stats) => this.applyStats(stats as SessionStats));
    } catch {
      // The connection was lost: a new one begins with the last event, or with a snapshot.
      this.#change((view) => ({ ...view, isLoaded: false, isOutdated: false }));
      this.#connection?.restart();
    } finally {
      this.#isReloading = false;
    }
  }
}
