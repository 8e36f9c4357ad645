// Public API of core.
import type { RenderMarkup } from '../contracts/index.ts';
import type { ExportedSession } from './export/render-session-page.ts';

export { type BudgetLimits, hasLimit } from './policy/budget-limits.ts';
export type { RuleOptions } from './policy/rule-options.ts';
export type { Resources } from './resources/resources.ts';
export { createSession } from './session/create-session.ts';
export type { SubagentHost, Subagents, SubagentsFactory } from './session/parent-link.ts';
export type { SessionOptions } from './session/session-options.ts';
export type { AgentRegistry } from './subagent/agent-registry.ts';

/** Renders a session as an HTML page. The renderer is loaded on first use. */
export async function renderSession(session: ExportedSession, renderMarkup: RenderMarkup): Promise<string> {
  return (await import('./export/render-session-page.ts')).renderSessionPage(session, renderMarkup);
}
