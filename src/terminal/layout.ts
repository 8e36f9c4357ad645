// Composes the live part of the screen: live output, activity, queue, widgets, dialog or draft, menu, and footer.
import type { RenderedRows } from './dialogs/dialog.ts';
import type { Draft } from './input/draft.ts';
import { renderDraft } from './input/render-draft.ts';
import type { LiveView } from './screen.ts';
import { EMPTY_LINE, type Line, line, prefixLines, span, truncateLine } from './text/line.ts';

export interface LayoutInput {
  readonly live: readonly Line[];
  readonly activity: readonly string[];
  /** Shown while the connection is lost. Below an open dialog, which can be as high as the screen. */
  readonly connection: readonly string[];
  readonly queue: { readonly steering: readonly string[]; readonly followUp: readonly string[] };
  readonly widgets: { readonly above: readonly Line[]; readonly below: readonly Line[] };
  readonly dialog: RenderedRows | undefined;
  /** Identifies the open dialog. */
  readonly dialogKey: unknown;
  readonly draft: Draft;
  readonly menu: readonly Line[];
  readonly status: string;
}

const MAX_QUEUE_LINES = 5;
const INPUT_MARK = [span('› ', { colour: 'cyan', bold: true })];
const SHELL_INPUT_MARK = [span('! ', { colour: 'yellow', bold: true })];

export function layout(input: LayoutInput, columns: number, rows: number): LiveView {
  const connection = input.connection.map((text) => line(text, { colour: 'yellow' }));
  const above = [
    ...input.live,
    ...(input.live.length > 0 ? [EMPTY_LINE] : []),
    ...(input.dialog ? [] : connection),
    ...input.activity.map((text, at) => line(text, at === 0 ? { colour: 'yellow' } : { dim: true })),
    ...renderQueue(input.queue),
    ...input.widgets.above,
  ];
  const inputRows = input.dialog ?? renderInput(input.draft, columns, Math.max(1, Math.floor(rows / 2) - 1));
  const below = [
    ...input.menu,
    ...input.widgets.below,
    ...(input.dialog ? connection : []),
    truncateLine(line(input.status, { dim: true }), columns),
  ];
  const cursor = inputRows.cursor && { row: above.length + inputRows.cursor.row, column: inputRows.cursor.column };
  return {
    lines: [...above, ...inputRows.rows, ...below],
    cursor,
    dialog: input.dialog && { key: input.dialogKey, lines: input.dialog.rows },
    draft: input.dialog ? '' : input.draft.text,
    isIdle: input.activity.length === 0 && input.connection.length === 0,
  };
}

/** One line for each message, at most `MAX_QUEUE_LINES`. */
function renderQueue({ steering, followUp }: LayoutInput['queue']): Line[] {
  const texts = [
    ...steering.map((text) => `↳ next: ${toFirstLine(text)}`),
    ...followUp.map((text) => `↳ follow-up: ${toFirstLine(text)}`),
  ];
  if (texts.length === 0) return [];
  const more = texts.length - MAX_QUEUE_LINES;
  const rest = more > 0 ? [`  … ${more} more`] : [];
  return [...texts.slice(0, MAX_QUEUE_LINES), ...rest, '  Alt+Up to edit'].map((text) => line(text, { dim: true }));
}

function toFirstLine(text: string): string {
  const [first = '', second] = text.split('\n', 2);
  return second === undefined ? first : `${first} …`;
}

function renderInput(draft: Draft, columns: number, height: number): RenderedRows {
  const isShell = draft.text.startsWith('!');
  const shown = isShell ? { ...draft, text: draft.text.slice(1), cursor: Math.max(0, draft.cursor - 1) } : draft;
  const { rows, cursor } = renderDraft(shown, columns - 2, height);
  const column = isShell && draft.cursor === 0 ? 0 : cursor.column + 2;
  return { rows: prefixLines(isShell ? SHELL_INPUT_MARK : INPUT_MARK, rows), cursor: { ...cursor, column } };
}
