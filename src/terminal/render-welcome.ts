// Renders the lines printed at startup: version, session name, and help when no provider key is configured.
import type { SessionState } from '../protocol/index.ts';
import { type Line, line, span, wrapLine } from './text/line.ts';

const NO_KEY_NOTICE = `No key of a provider was found, so the offline model answers: a small stand-in that follows plain requests by rule. \
For a real model, set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or the variable of another provider and restart, or write the key \
to auth.json; run “parley doctor” to see what is missing.`;

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
