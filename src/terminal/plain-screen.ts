// Screen for terminals without cursor control, such as TERM=dumb inside an editor. Prints finished lines and a prompt; never redraws.
import { sanitize } from '../base/safe-text.ts';
import type { Tty } from '../contracts/tty.ts';
import type { LiveView, Screen } from './screen.ts';
import { renderAnsi } from './text/ansi.ts';
import type { Line } from './text/line.ts';

const PROMPT = '> ';

export class PlainScreen implements Screen {
  readonly #tty: Tty;
  #pending: Line[] = [];
  #dialogKey: unknown;
  #hasPrompt = false;
  #isSuspended = false;
  #draft = '';

  constructor(tty: Tty) {
    this.#tty = tty;
  }

  get columns(): number {
    return Math.max(4, this.#tty.columns - 1);
  }

  /** Unlimited: dialogs are printed once and scroll. */
  get rows(): number {
    return Number.MAX_SAFE_INTEGER;
  }

  print(lines: readonly Line[]): void {
    this.#pending.push(...lines);
  }

  draw({ dialog, isIdle, draft = '' }: LiveView): void {
    if (this.#isSuspended) return;
    if (dialog && dialog.key !== this.#dialogKey) this.#pending.push(...dialog.lines);
    const isNewDialog = dialog !== undefined && dialog.key !== this.#dialogKey;
    this.#dialogKey = dialog?.key;
    const lines = this.#pending.splice(0);
    const text = lines.map((spans) => `${renderAnsi(spans, 'none')}\n`).join('');
    // Text that the program put into the draft is not echoed by the terminal, so print it after the prompt.
    const isDraftReplaced = draft !== '' && draft !== this.#draft;
    this.#draft = draft;
    const lineBreak = this.#hasPrompt && (text !== '' || isDraftReplaced) ? '\n' : '';
    if (text !== '' || isDraftReplaced) this.#hasPrompt = false;
    const shouldPrompt = isNewDialog || ((isIdle || isDraftReplaced) && !this.#hasPrompt);
    if (shouldPrompt) this.#hasPrompt = true;
    this.#tty.write(`${lineBreak}${text}${shouldPrompt ? `${PROMPT}${sanitize(draft)}` : ''}`);
  }

  /** Input is a whole line, so the cursor is no longer after the prompt. */
  handleInput(): void {
    this.#hasPrompt = false;
  }

  handleResize(): void {}

  clear(): void {}

  resume(): void {
    this.#isSuspended = false;
    this.#hasPrompt = false;
  }

  setTitle(): void {}

  suspend(): void {
    if (this.#isSuspended) return;
    this.draw({ lines: [], isIdle: false });
    if (this.#hasPrompt) this.#tty.write('\n');
    this.#isSuspended = true;
  }
}
