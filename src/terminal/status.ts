// The hall, terminal: the line at the bottom: which model answers, how hard it thinks, what it has cost. Pure.
import type { SessionState } from '../protocol/index.ts';

export function statusLine(state: SessionState, cost: number, words: readonly string[]): string {
  const { model, thinkingLevel, sessionName, trusted } = state;
  const parts = [
    model ? `${model.provider}/${model.id}` : 'no model',
    ...(thinkingLevel === 'off' ? [] : [`thinking ${thinkingLevel}`]),
    ...(sessionName ? [sessionName] : []),
    ...(cost > 0 ? [`$${cost.toFixed(cost < 1 ? 4 : 2)}`] : []),
    ...(trusted ? ['trusted'] : []),
    ...words,
    '/help',
  ];
  return parts.join(' · ');
}
