// Table of contents: what the app takes from core.
import type { RenderMarkup, StoredSession } from '../contracts/index.ts';

export { type BudgetLimits, hasLimit } from './policy/budget-limits.ts';
export type { RuleOptions } from './policy/rules.ts';
export type { CreateSubagents } from './session/family.ts';
export type { SessionOptions } from './session/options.ts';
export { createSession } from './session/session.ts';

/** Loaded when a page is written. */
export async function renderSession(
  session: StoredSession & { branchOnly?: boolean },
  renderMarkup: RenderMarkup,
): Promise<string> {
  return (await import('./export/session-page.ts')).renderSession(session, renderMarkup);
}
