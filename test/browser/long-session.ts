// Writes the log of a session with many messages to a user directory.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramDirectories } from '../support/program.ts';

export const LONG_SESSION_ID = '0f8b0000-0000-4000-8000-000000000001';

const usage = {
  ...{ input: 100, output: 50, cacheRead: 0, cacheWrite: 0, totalTokens: 150 },
  cost: { input: 0.001, output: 0.001, cacheRead: 0, cacheWrite: 0, total: 0.002 },
};
const model = { api: 'openai-completions', provider: 'own', model: 'large' };
const timestamp = '2026-01-02T03:04:05.000Z';

/** Prompts and answers of different lengths, in turn. */
export function writeLongSession({ home, cwd }: ProgramDirectories, count: number): void {
  const directory = join(home, 'sessions', `--${cwd.slice(1).replaceAll('/', '-')}--`);
  mkdirSync(directory, { recursive: true });
  const entries = Array.from({ length: count }, (_, at) => ({
    ...{ type: 'message', id: formatId(at), parentId: at === 0 ? null : formatId(at - 1), timestamp },
    message: at % 2 === 0 ? createPrompt(at) : createAnswer(at),
  }));
  const header = { type: 'session', version: 3, id: LONG_SESSION_ID, timestamp, cwd };
  const lines = [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(directory, `2026-01-02T03-04-05-000Z_${LONG_SESSION_ID}.jsonl`), lines);
}

function formatId(at: number): string {
  return at.toString(16).padStart(8, '0');
}

function createPrompt(at: number) {
  const text = `Prompt number ${at}. ${'More words. '.repeat(at % 23)}`;
  return { role: 'user', content: [{ type: 'text', text }], timestamp: 1 };
}

function createAnswer(at: number) {
  const text = `### Answer number ${at}\n\n${'A sentence of the answer. '.repeat(at % 17)}\n\n\`\`\`ts\nconst x = ${at};\n\`\`\`\n`;
  return { role: 'assistant', content: [{ type: 'text', text }], ...model, usage, stopReason: 'stop', timestamp: 1 };
}
