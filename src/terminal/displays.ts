// The hall, terminal: what extensions want shown beside the conversation: status words and widgets. Knows no extension.

import { plainLines } from '../base/plain.ts';
import type { Display } from '../client/index.ts';
import { type Line, line } from './text/line.ts';

const MOST_LINES = 10;

export class Displays {
  readonly #status = new Map<string, string>();
  readonly #widgets = new Map<string, { lines: readonly string[]; below: boolean }>();

  /** Returns false for what is not kept on the screen. */
  take(display: Display): boolean {
    if (display.method === 'setStatus') {
      if (display.statusText) this.#status.set(display.statusKey, display.statusText);
      else this.#status.delete(display.statusKey);
      return true;
    }
    if (display.method !== 'setWidget') return false;
    const { widgetKey, widgetLines, widgetPlacement } = display;
    if (widgetLines?.length)
      this.#widgets.set(widgetKey, { lines: widgetLines, below: widgetPlacement === 'belowEditor' });
    else this.#widgets.delete(widgetKey);
    return true;
  }

  get status(): string[] {
    return [...this.#status.values()];
  }

  widgets(below: boolean): Line[] {
    const lines = [...this.#widgets.values()]
      .filter((widget) => widget.below === below)
      .flatMap((widget) => widget.lines);
    return lines
      .flatMap((text) => plainLines(text))
      .slice(0, MOST_LINES)
      .map((text) => line(text, { dim: true }));
  }
}
