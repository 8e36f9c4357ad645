// Types of the frames that the page receives from a server.
import type { ClientEvent } from '../../../src/client/client-event.ts';
import type { PromptOutcome, SessionAttached, SessionSnapshot, UiRequest } from '../../../src/protocol/index.ts';

export type { SessionAttached, SessionSnapshot };

export type RunningTool = SessionSnapshot['runningTools'][number];
export type Queues = Readonly<SessionSnapshot['queues']>;

export interface ToolOutput {
  readonly content: readonly unknown[];
  readonly details?: unknown;
}

export type UiRequestFrame = UiRequest & { readonly type: 'extension_ui_request' };

export interface ReplyFrame {
  readonly type: 'response';
  readonly id?: unknown;
  readonly command: string;
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string;
}

type PromptResultFrame = PromptOutcome & { readonly type: 'prompt_result'; readonly id?: unknown };

interface ReadyFrame {
  readonly type: 'ready';
}

export type IncomingFrame =
  | ClientEvent
  | SessionAttached
  | SessionSnapshot
  | UiRequestFrame
  | ReplyFrame
  | PromptResultFrame
  | ReadyFrame;
