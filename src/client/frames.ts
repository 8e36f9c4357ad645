// The hall, client: what a line of the agent is. Knows the default dialect's spelling; keeps nothing.
import { isRecord } from '../base/index.ts';
import type { AgentEvent, UiRequest } from '../protocol/index.ts';
import { isKnownEvent } from './known-events.ts';

/** What the agent says before it was asked anything. */
export interface Greeting {
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

export type Incoming =
  | { kind: 'reply'; reply: ReplyFrame }
  | { kind: 'event'; event: AgentEvent }
  | { kind: 'ask'; request: UiRequest }
  | { kind: 'greeting'; greeting: Greeting }
  /** A frame of a kind that is not known here, or the text of a line that is no frame. */
  | { kind: 'other'; frame: unknown };

export function readFrame(line: string): Incoming {
  let frame: unknown;
  try {
    frame = JSON.parse(line);
  } catch {
    return { kind: 'other', frame: line };
  }
  if (!isRecord(frame) || typeof frame.type !== 'string') return { kind: 'other', frame };
  // The agent keeps to its own declarations; checking every frame again would cost more than it could tell.
  if (isKnownEvent(frame.type)) return { kind: 'event', event: frame as unknown as AgentEvent };
  if (frame.type === 'response') return { kind: 'reply', reply: frame as unknown as ReplyFrame };
  if (frame.type === 'extension_ui_request') return { kind: 'ask', request: frame as unknown as UiRequest };
  if (frame.type === 'ready') return { kind: 'greeting', greeting: frame as unknown as Greeting };
  return { kind: 'other', frame };
}
