// Renders the lines printed at startup: version, session name, and help when no provider key is configured.
import type { SessionState } from '../protocol/index.ts';
import { type Line, line, span, wrapLine } from './text/line.ts';

const NO_KEY_NOTICE = `No provider key was found, so the offline model is used: a small rule-based substitute that handles simple requests. \
For a real model, enter /login, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or another provider’s variable and restart.`;

export function renderWelcome({ model, sessionName }: SessionState, version: string, width: number): Line[] {
  const head: Line = [
    span('Parley ', { bold: true }),
    span(`${version} · /help for commands and keys · Ctrl+D to quit`, { dim: true }),
  ];
  const name = sessionName ? [line(sessionName, { bold: true })] : [];
  const isOfflineModel = model?.provider === 'parley';
  const help = isOfflineModel ? wrapLine(line(NO_KEY_NOTICE, { colour: 'yellow' }), width) : [];
  return [...wrapLine(head, width), ...name, ...help];
}
