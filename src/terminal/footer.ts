// Formats the footer: model, thinking level, use of the context window, cost, directory and branch. Shortens it to the width of the terminal.
import type { SessionState } from '../protocol/index.ts';
import { measureWidth } from './text/text-width.ts';

export interface FooterInput {
  readonly state: Pick<SessionState, 'model' | 'thinkingLevel' | 'sessionName' | 'trusted'>;
  readonly cost: number;
  /** Use of the context window in percent, if the window is known. */
  readonly contextPercent: number | undefined;
  /** With `~` for the home directory. */
  readonly directory: string;
  /** The git branch, or a short commit id. */
  readonly branch: string | undefined;
  readonly extensionTexts: readonly string[];
}

/** The parts in the order of display. An empty text is not shown. */
interface FooterParts {
  model: string;
  thinking: string;
  context: string;
  cost: string;
  location: string;
  sessionName: string;
  trust: string;
  extensions: string;
  help: string;
}

const SEPARATOR = ' · ';
const MAX_NAME_WIDTH = 24;

export function formatFooter(input: FooterInput, width: number): string {
  let parts = buildParts(input);
  for (const shorten of REDUCTIONS) {
    if (measureWidth(joinParts(parts)) <= width) break;
    parts = { ...parts, ...shorten(input) };
  }
  return joinParts(parts);
}

/** Applied in this order until the footer fits. What helps least is dropped first. */
const REDUCTIONS: readonly ((input: FooterInput) => Partial<FooterParts>)[] = [
  () => ({ help: '' }),
  () => ({ trust: '' }),
  (input) => ({ location: formatLocation(getLastFolder(input.directory), input.branch) }),
  (input) => ({ sessionName: shortenText(input.state.sessionName ?? '', MAX_NAME_WIDTH) }),
  () => ({ sessionName: '' }),
  (input) => ({ thinking: input.state.thinkingLevel === 'off' ? '' : input.state.thinkingLevel }),
  ({ contextPercent }) => ({ context: contextPercent === undefined ? '' : `${Math.round(contextPercent)}%` }),
  ({ state }) => ({ model: state.model?.id ?? 'no model' }),
  () => ({ extensions: '' }),
  (input) => ({ location: shortenText(input.branch ?? getLastFolder(input.directory), MAX_NAME_WIDTH) }),
  () => ({ thinking: '' }),
  ({ state }) => ({ model: shortenText(state.model?.id ?? 'no model', MAX_NAME_WIDTH) }),
  (input) => ({ location: shortenText(input.branch ?? '', MAX_NAME_WIDTH / 2) }),
  () => ({ location: '' }),
  () => ({ cost: '' }),
];

function buildParts({ state, cost, contextPercent, directory, branch, extensionTexts }: FooterInput): FooterParts {
  const { model, thinkingLevel, sessionName = '', trusted } = state;
  return {
    model: model ? `${model.provider}/${model.id}` : 'no model',
    thinking: thinkingLevel === 'off' ? '' : `thinking ${thinkingLevel}`,
    context: contextPercent === undefined ? '' : `context ${Math.round(contextPercent)}%`,
    cost: cost > 0 ? `$${cost.toFixed(cost < 1 ? 4 : 2)}` : '',
    location: formatLocation(directory, branch),
    sessionName,
    trust: trusted ? 'trusted' : '',
    extensions: extensionTexts.join(SEPARATOR),
    help: '/help',
  };
}

function formatLocation(directory: string, branch: string | undefined): string {
  return branch === undefined ? directory : `${directory} (${branch})`;
}

function joinParts(parts: FooterParts): string {
  return Object.values(parts)
    .filter((text) => text !== '')
    .join(SEPARATOR);
}

function getLastFolder(directory: string): string {
  return directory.split('/').findLast((name) => name !== '') ?? directory;
}

function shortenText(text: string, width: number): string {
  return measureWidth(text) <= width
    ? text
    : `${Array.from(text)
        .slice(0, width - 1)
        .join('')}…`;
}
