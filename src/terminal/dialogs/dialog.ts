// Interface of dialogs, which replace the input line while they are open.
import type { KeyInput } from '../input/key-decoder.ts';
import type { Line } from '../text/line.ts';

export interface RenderedRows {
  readonly rows: readonly Line[];
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

export interface Dialog {
  /** The keys that the user can press. */
  readonly hint: string;
  /** Returns the answer when the key completes the dialog. */
  handleKey(keyInput: KeyInput): string | undefined;
  render(width: number, height: number): RenderedRows;
  /** Called for Esc. Returns whether the dialog went back to an earlier part of it. Otherwise Esc dismisses the dialog. */
  goBack?(): boolean;
}
