// The hall, terminal: everything below what is finished, put together: live output, what waits, the question or the draft, the
// status. Pure.
import type { PaneView } from './asks/pane.ts';
import { draftView } from './input/draft-view.ts';
import type { Draft } from './input/editor.ts';
import type { Live } from './screen.ts';
import { clipped, EMPTY, type Line, line, prefixed, span } from './text/line.ts';

export interface Scene {
  readonly live: readonly Line[];
  readonly activity: readonly string[];
  readonly queue: { readonly steering: readonly string[]; readonly followUp: readonly string[] };
  readonly widgets: { readonly above: readonly Line[]; readonly below: readonly Line[] };
  readonly pane: PaneView | undefined;
  /** Which question the pane shows. */
  readonly asking: unknown;
  readonly draft: Draft;
  readonly menu: readonly Line[];
  readonly status: string;
}

const MARK = [span('› ', { colour: 'cyan', bold: true })];
const SHELL_MARK = [span('! ', { colour: 'yellow', bold: true })];

export function picture(scene: Scene, columns: number, rows: number): Live {
  const above = [
    ...scene.live,
    ...(scene.live.length > 0 ? [EMPTY] : []),
    ...scene.activity.map((text, at) => line(text, at === 0 ? { colour: 'yellow' } : { dim: true })),
    ...scene.queue.steering.map((text) => line(`↳ next: ${text}`, { dim: true })),
    ...scene.queue.followUp.map((text) => line(`↳ afterwards: ${text}`, { dim: true })),
    ...scene.widgets.above,
  ];
  const typing = scene.pane ?? draftRows(scene.draft, columns, Math.max(1, Math.floor(rows / 2) - 1));
  const below = [...scene.menu, ...scene.widgets.below, clipped(line(scene.status, { dim: true }), columns)];
  const cursor = typing.cursor && { row: above.length + typing.cursor.row, column: typing.cursor.column };
  return {
    lines: [...above, ...typing.rows, ...below],
    cursor,
    question: scene.pane && { key: scene.asking, lines: scene.pane.rows },
    draft: scene.pane ? '' : scene.draft.text,
    isIdle: scene.activity.length === 0,
  };
}

function draftRows(draft: Draft, columns: number, height: number): PaneView {
  const isShell = draft.text.startsWith('!');
  const shown = isShell ? { ...draft, text: draft.text.slice(1), at: Math.max(0, draft.at - 1) } : draft;
  const { rows, cursor } = draftView(shown, columns - 2, height);
  const column = isShell && draft.at === 0 ? 0 : cursor.column + 2;
  return { rows: prefixed(isShell ? SHELL_MARK : MARK, rows), cursor: { ...cursor, column } };
}
