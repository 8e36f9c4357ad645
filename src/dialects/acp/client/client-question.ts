// A request to the client whose result is the answer to a question.
import type { UiAnswer } from '../../../protocol/index.ts';

export interface ClientQuestion {
  readonly method: string;
  readonly params: object;
  /** `undefined`: no answer. */
  parseAnswer(result: Record<string, unknown>): UiAnswer | undefined;
  /** Id of the tool call that was made up for the question, because the protocol requires one. */
  readonly questionCallId?: string | undefined;
}
