// Formats the status line: model, thinking level, session name, cost, trust and status texts of extensions.
import type { SessionState } from '../protocol/index.ts';

export function formatStatusLine(state: SessionState, cost: number, extensionTexts: readonly string[]): string {
  const { model, thinkingLevel, sessionName, trusted } = state;
  const parts = [
    model ? `${model.provider}/${model.id}` : 'no model',
    ...(thinkingLevel === 'off' ? [] : [`thinking ${thinkingLevel}`]),
    ...(sessionName ? [sessionName] : []),
    ...(cost > 0 ? [`$${cost.toFixed(cost < 1 ? 4 : 2)}`] : []),
    ...(trusted ? ['trusted'] : []),
    ...extensionTexts,
    '/help',
  ];
  return parts.join(' · ');
}
