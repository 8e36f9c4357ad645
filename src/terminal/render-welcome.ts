// Renders the lines printed at startup: version, where the terminal is attached, session name, and help when no provider key is configured.
import type { SessionState } from '../protocol/index.ts';
import { type Line, line, span, wrapLine } from './text/line.ts';

const NO_KEY_NOTICE = `No provider key was found, so the offline model is used: a small rule-based substitute that handles simple requests. \
For a real model, enter /login, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or another provider’s variable and restart.`;

const NO_REMOTE_KEY_NOTICE = `The agent has found no provider key, so the offline model is used: a small rule-based substitute that handles \
simple requests. For a real model, enter /login, or set a key where the agent runs.`;

interface WelcomeOptions {
  readonly version: string;
  readonly width: number;
  /** Where the agent runs. Absent for an agent of this machine and this terminal. */
  readonly location?: string | undefined;
}

export function renderWelcome(
  { model, sessionName }: SessionState,
  { version, width, location }: WelcomeOptions,
): Line[] {
  const head: Line = [
    span('Parley ', { bold: true }),
    span(`${version} · /help for commands and keys · Ctrl+D to ${location === undefined ? 'quit' : 'detach'}`, {
      dim: true,
    }),
  ];
  const attached = location === undefined ? [] : wrapLine(line(`Attached to ${location}`, { colour: 'cyan' }), width);
  const name = sessionName ? [line(sessionName, { bold: true })] : [];
  const isOfflineModel = model?.provider === 'parley';
  const help = isOfflineModel
    ? wrapLine(line(location === undefined ? NO_KEY_NOTICE : NO_REMOTE_KEY_NOTICE, { colour: 'yellow' }), width)
    : [];
  return [...wrapLine(head, width), ...attached, ...name, ...help];
}
