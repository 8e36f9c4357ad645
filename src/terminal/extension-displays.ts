// Stores the status texts and widgets that extensions display.

import { sanitizeLines } from '../base/safe-text.ts';
import type { DisplayRequest } from '../client/index.ts';
import { type Line, line } from './text/line.ts';

const MAX_WIDGET_LINES = 10;

export class ExtensionDisplays {
  readonly #status = new Map<string, string>();
  readonly #widgets = new Map<string, { lines: readonly string[]; below: boolean }>();

  /** Returns whether the request is a status text or a widget; other requests are ignored. */
  apply(display: DisplayRequest): boolean {
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

  get statusTexts(): string[] {
    return [...this.#status.values()];
  }

  renderWidgets(below: boolean): Line[] {
    const lines = [...this.#widgets.values()]
      .filter((widget) => widget.below === below)
      .flatMap((widget) => widget.lines);
    return lines
      .flatMap((text) => sanitizeLines(text))
      .slice(0, MAX_WIDGET_LINES)
      .map((text) => line(text, { dim: true }));
  }
}
