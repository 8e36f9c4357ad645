// Builds sessions for the tests of the export, and reads the text of exported pages.
import { type ExportedSession, renderSessionPage } from '../../../src/core/export/render-session-page.ts';
import { createTranscript, type Transcript } from '../../../src/core/export/transcript.ts';
import type { SessionEntry } from '../../../src/protocol/index.ts';

export type Raw = Record<string, unknown>;

export const user = (text: string): Raw => ({
  type: 'message',
  message: { role: 'user', content: text, timestamp: 1 },
});

export const answer = (content: readonly Raw[], more: Raw = {}): Raw => ({
  type: 'message',
  message: { role: 'assistant', content, model: 'm', stopReason: 'toolUse', timestamp: 1, ...more },
});

export const call = (id: string, name: string, args: Raw): Raw => ({ type: 'toolCall', id, name, arguments: args });

export const result = (toolCallId: string, text: string, more: Raw = {}): Raw => ({
  type: 'message',
  message: {
    role: 'toolResult',
    toolCallId,
    toolName: 'bash',
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 1,
    ...more,
  },
});

/** Each entry continues from the entry before it, unless it has a `parentId`. One second lies between two entries. */
export function createEntries(bodies: readonly Raw[]): SessionEntry[] {
  return bodies.map((body, at) => ({
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    timestamp: new Date(Date.UTC(2026, 0, 2, 9, 0, at)).toISOString(),
    ...body,
  })) as unknown as SessionEntry[];
}

export const toTranscript = (bodies: readonly Raw[]): Transcript =>
  createTranscript(createEntries(bodies), { hasAnchors: true });

export function toSession(bodies: readonly Raw[]): ExportedSession {
  const entries = createEntries(bodies);
  const header = { type: 'session' as const, version: 3, id: 's', timestamp: '2026-01-02T09:00:00.000Z', cwd: '/p' };
  return { header, entries, leafId: entries.at(-1)?.id ?? null, name: 'A session' };
}

/** The page without rendered markup. */
export const renderPlain = (session: ExportedSession): Promise<string> =>
  renderSessionPage(session, async (texts) => texts.map(() => undefined));

/** The cards of a page, each as its HTML up to the next card. */
export function splitCards(page: string): string[] {
  const main = page.slice(page.indexOf('<article'), page.indexOf('</main>'));
  return main.split('<div class="card ').slice(1);
}

export const toText = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
