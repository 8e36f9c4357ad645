// The hall, terminal: the first lines: who is there, and what to do without a key. Pure.
import type { SessionState } from '../protocol/index.ts';
import { type Line, line, span, wrapped } from './text/line.ts';

const NO_KEY = `No key of a provider was found, so the offline model answers: a small stand-in that follows plain requests by rule. \
For a real model set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or another provider’s variable and start again, or write the key \
to auth.json; “parley doctor” says what is missing.`;

export function welcome({ model, sessionName }: SessionState, version: string, width: number): Line[] {
  const head: Line = [
    span('Parley ', { bold: true }),
    span(`${version} · /help lists commands and keys · Ctrl+D leaves`, { dim: true }),
  ];
  const name = sessionName ? [line(sessionName, { bold: true })] : [];
  const isStandIn = model?.provider === 'parley';
  const help = isStandIn ? wrapped(line(NO_KEY, { colour: 'yellow' }), width) : [];
  return [...wrapped(head, width), ...name, ...help];
}
