// Checks whether an answer belongs to the kind of its question.
import type { UiAnswer, UiRequest } from '../../protocol/index.ts';
import { hasAnswerKey } from '../pending-ui-requests.ts';

/** An answer of another kind counts as dismissed. */
export function isDismissal(request: UiRequest, answer: UiAnswer): boolean {
  return 'cancelled' in answer || !hasAnswerKey(request, answer);
}

/** For clients that get an error as reply: `undefined` when the answer can be used. */
export function findAnswerProblem(request: UiRequest, answer: UiAnswer): string | undefined {
  if ('cancelled' in answer) return undefined;
  const expected = request.method === 'confirm' ? '{"confirmed": BOOLEAN}' : '{"value": TEXT}';
  if (isDismissal(request, answer))
    return `The answer to a dialog of the kind ${request.method} must be ${expected} or {"cancelled": true}.`;
  if (request.method !== 'select' || !('value' in answer) || request.options.includes(answer.value)) return undefined;
  return `The value must be one of the options: ${request.options.join(', ')}.`;
}
