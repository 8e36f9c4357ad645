// What the page knows about one session. Built only by `reduceFrame`, from the frames of the server.
import type {
  BudgetSnapshot,
  ClientAccess,
  SessionState,
  SlashCommandEntry,
  SubagentLifecycle,
  SubagentProgress,
  UiRequest,
  VerificationResult,
} from '../../../src/protocol/index.ts';
import type { Queues } from '../wire/server-frames.ts';
import { type Conversation, EMPTY_CONVERSATION } from './conversation.ts';

export type DialogRequest = Extract<UiRequest, { method: 'select' | 'confirm' | 'input' | 'editor' }>;

/** A dialog that does not wait any more, with the reason for the user. */
export interface ClosedDialog {
  readonly id: string;
  readonly title: string;
  readonly outcome: 'answered' | 'withdrawn' | 'timedOut';
  /** The name of the client that answered. */
  readonly answeredBy: string | undefined;
}

export interface VerificationCommandView {
  readonly name: string;
  readonly status: 'running' | 'passed' | 'failed';
  readonly durationMs: number | undefined;
}

export interface VerificationAttemptView {
  readonly attempt: number;
  readonly status: 'running' | 'passed' | 'failed' | 'skipped' | 'budget_exceeded';
  readonly commands: readonly VerificationCommandView[];
}

export interface SubagentView {
  readonly id: string;
  readonly agent: string;
  readonly parentToolCallId: string | undefined;
  readonly description: string | undefined;
  readonly task: string | undefined;
  readonly sessionFile: string | undefined;
  readonly isIsolated: boolean;
  readonly status: SubagentProgress['status'];
  readonly progress: SubagentProgress | undefined;
  readonly attempts: readonly VerificationAttemptView[];
  readonly verification: VerificationResult | undefined;
  readonly error: string | undefined;
  readonly conversation: Conversation;
  /** The subagents that it started itself are listed here with the id of this one. */
  readonly parentId: string | undefined;
}

export interface Totals {
  readonly cost: number;
  readonly tokens: number;
  /** Tokens of the last request and its answer. */
  readonly contextTokens: number | undefined;
}

export interface RetryView {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
  readonly errorMessage: string;
}

export interface SessionView {
  readonly sessionId: string;
  readonly clientId: string;
  readonly access: ClientAccess;
  /** The number of the last event that is part of this view; 0 before the first frame. */
  readonly seq: number;
  /** Counts the connections: what was loaded over an earlier one may be outdated. */
  readonly attachCount: number;
  /** False until a snapshot has arrived. */
  readonly isLoaded: boolean;
  /** The conversation was replaced on the server and must be loaded again. */
  readonly isOutdated: boolean;
  readonly state: SessionState | undefined;
  readonly conversation: Conversation;
  readonly queues: Queues;
  readonly dialogs: readonly DialogRequest[];
  /** The ids of dialogs that the server has not asked again since the connection was opened. */
  readonly unconfirmedDialogs: readonly string[];
  readonly closedDialogs: readonly ClosedDialog[];
  readonly subagents: ReadonlyMap<string, SubagentView>;
  readonly commands: readonly SlashCommandEntry[] | undefined;
  readonly totals: Totals;
  readonly retry: RetryView | undefined;
  readonly compaction: 'automatic' | 'requested' | undefined;
  readonly budget: BudgetSnapshot | undefined;
  /** Texts that extensions show beside the prompt, by key. */
  readonly statusTexts: ReadonlyMap<string, string>;
  readonly widgets: ReadonlyMap<string, readonly string[]>;
  readonly title: string | undefined;
  /** A text that an extension puts into the prompt editor. `count` tells two equal texts apart. */
  readonly editorText: { readonly text: string; readonly count: number };
  readonly links: readonly { readonly id: string; readonly url: string; readonly instructions: string | undefined }[];
  /** The client whose command caused the run in progress. */
  readonly runClient: string | undefined;
  /** The run was interrupted when a server ended, and can be continued. */
  readonly isInterrupted: boolean;
}

export function createSessionView(sessionId: string): SessionView {
  return {
    sessionId,
    clientId: '',
    access: 'read',
    seq: 0,
    attachCount: 0,
    isLoaded: false,
    isOutdated: false,
    state: undefined,
    conversation: EMPTY_CONVERSATION,
    queues: { steering: [], followUp: [] },
    dialogs: [],
    unconfirmedDialogs: [],
    closedDialogs: [],
    subagents: new Map(),
    commands: undefined,
    totals: { cost: 0, tokens: 0, contextTokens: undefined },
    retry: undefined,
    compaction: undefined,
    budget: undefined,
    statusTexts: new Map(),
    widgets: new Map(),
    title: undefined,
    editorText: { text: '', count: 0 },
    links: [],
    runClient: undefined,
    isInterrupted: false,
  };
}

export function createSubagentView(id: string, agent: string): SubagentView {
  return {
    id,
    agent,
    parentToolCallId: undefined,
    description: undefined,
    task: undefined,
    sessionFile: undefined,
    isIsolated: false,
    status: 'running',
    progress: undefined,
    attempts: [],
    verification: undefined,
    error: undefined,
    conversation: EMPTY_CONVERSATION,
    parentId: undefined,
  };
}

/** `started` of a lifecycle event is called `running` in progress events. */
export function toStatus(status: SubagentLifecycle['status']): SubagentView['status'] {
  return status === 'started' ? 'running' : status;
}

export function describeActivity(view: SessionView): 'running' | 'waiting' | 'interrupted' | 'idle' {
  if (view.dialogs.length > 0) return 'waiting';
  if (isRunning(view)) return 'running';
  return view.isInterrupted ? 'interrupted' : 'idle';
}

/** Whether a run is in progress or will follow without a command. */
export function isRunning({ state }: Pick<SessionView, 'state'>): boolean {
  return state !== undefined && (state.isStreaming || !state.isSettled);
}
