// Parses a line from the agent and classifies it. Knows the omp dialect only.
import { isRecord } from '../base/index.ts';
import type { PromptOutcome, SessionAttached, SessionSnapshot, UiRequest } from '../protocol/index.ts';
import type { ClientEvent } from './client-event.ts';
import { isKnownEvent } from './known-events.ts';

/** Content of the ready frame, which the agent sends first. */
export interface ReadyInfo {
  readonly version: string;
  readonly protocolVersion: number;
  readonly dialect: string;
}

export interface ReplyFrame {
  readonly id?: unknown;
  readonly command: string;
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string;
}

/** How the work of an accepted prompt has ended. `id` is that of the call. */
export interface PromptResult extends PromptOutcome {
  readonly id?: unknown;
}

export type IncomingFrame =
  | { kind: 'reply'; reply: ReplyFrame }
  | { kind: 'event'; event: ClientEvent }
  | { kind: 'promptResult'; result: PromptResult }
  | { kind: 'uiRequest'; request: UiRequest }
  | { kind: 'ready'; readyInfo: ReadyInfo }
  | { kind: 'attached'; attachment: SessionAttached }
  | { kind: 'snapshot'; snapshot: SessionSnapshot }
  /** An unknown frame, or the text of a line that is not JSON. */
  | { kind: 'other'; frame: unknown };

export function parseFrame(line: string): IncomingFrame {
  let frame: unknown;
  try {
    frame = JSON.parse(line);
  } catch {
    return { kind: 'other', frame: line };
  }
  if (!isRecord(frame) || typeof frame.type !== 'string') return { kind: 'other', frame };
  // Frames are not validated again: the agent sends only what it declares, and validating each frame is expensive.
  if (isKnownEvent(frame.type)) return { kind: 'event', event: frame as unknown as ClientEvent };
  if (frame.type === 'response') return { kind: 'reply', reply: frame as unknown as ReplyFrame };
  if (frame.type === 'prompt_result') return { kind: 'promptResult', result: frame as unknown as PromptResult };
  if (frame.type === 'extension_ui_request') return { kind: 'uiRequest', request: frame as unknown as UiRequest };
  if (frame.type === 'ready') return { kind: 'ready', readyInfo: frame as unknown as ReadyInfo };
  if (frame.type === 'session_attached') return { kind: 'attached', attachment: frame as unknown as SessionAttached };
  if (frame.type === 'session_snapshot') return { kind: 'snapshot', snapshot: frame as unknown as SessionSnapshot };
  return { kind: 'other', frame };
}
