// The hall, terminal: a question in the place where the person types. Words only.
import type { Stroke } from '../input/keys.ts';
import type { Line } from '../text/line.ts';

export interface PaneView {
  readonly rows: readonly Line[];
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

export interface Pane {
  /** Which keys answer it. */
  readonly hint: string;
  /** Gives the answer once there is one. */
  stroke(stroke: Stroke): string | undefined;
  view(width: number, height: number): PaneView;
}
