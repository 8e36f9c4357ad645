// Queues dialogs and shows one at a time. Every dialog ends: answered, dismissed or timed out.
import type { DialogRequest } from '../../client/index.ts';
import type { Cancel, Clock } from '../../contracts/index.ts';
import type { UiAnswer } from '../../protocol/index.ts';
import type { KeyInput } from '../input/key-decoder.ts';
import { EMPTY_LINE, type Line, line } from '../text/line.ts';
import type { Dialog, RenderedRows } from './dialog.ts';
import { InputDialog } from './input-dialog.ts';
import { createConfirmDialog, SelectDialog } from './select-dialog.ts';

/** A new dialog accepts no keys until none was pressed for this long, so that text typed for the draft does not answer it. */
export const KEY_IDLE_MS = 400;

interface OpenDialog {
  /** The request id. Undefined for dialogs of the terminal itself. */
  readonly id: string | undefined;
  readonly dialog: Dialog;
  readonly deadline: number | undefined;
  close(answer: string | undefined): void;
}

export class DialogQueue {
  readonly #clock: Clock;
  readonly #keyIdleMs: number;
  readonly #onChange: () => void;
  readonly #dialogs: OpenDialog[] = [];
  #lastKeyAt = Number.NEGATIVE_INFINITY;
  #acceptsKeys = true;
  #cancelIdleTimer: Cancel = () => {};

  constructor(clock: Clock, keyIdleMs: number, onChange: () => void) {
    this.#clock = clock;
    this.#keyIdleMs = keyIdleMs;
    this.#onChange = onChange;
  }

  get current(): Dialog | undefined {
    return this.#dialogs[0]?.dialog;
  }

  /** Shows a dialog that the agent or an extension requested. */
  async showRequest(request: DialogRequest): Promise<UiAnswer | undefined> {
    const { method, title } = request;
    const timeout = 'timeout' in request ? request.timeout : undefined;
    if (method === 'confirm') {
      const answer = await this.open(createConfirmDialog(title, request.message), request.id, timeout);
      return answer === undefined ? undefined : { confirmed: answer === 'yes' };
    }
    const value = await this.open(createDialog(request), request.id, timeout);
    return value === undefined ? undefined : { value };
  }

  /** Opens a dialog that the user requested with the last key, so it accepts keys at once. */
  choose(dialog: Dialog): Promise<string | undefined> {
    this.#lastKeyAt = Number.NEGATIVE_INFINITY;
    return this.open(dialog);
  }

  /** Resolves to the answer; `undefined` when the dialog was dismissed or timed out. */
  open(dialog: Dialog, id?: string, timeout?: number): Promise<string | undefined> {
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const entry: OpenDialog = {
        id,
        dialog,
        deadline: timeout ? this.#clock.now() + timeout : undefined,
        close: (answer) => {
          cancel();
          const at = this.#dialogs.indexOf(entry);
          if (at >= 0) this.#dialogs.splice(at, 1);
          if (at === 0) this.#updateAcceptsKeys();
          this.#onChange();
          resolve(answer);
        },
      };
      this.#dialogs.push(entry);
      if (timeout) cancel = this.#clock.after(timeout, () => entry.close(undefined));
      if (this.#dialogs.length === 1) this.#updateAcceptsKeys();
      this.#onChange();
    });
  }

  /** Must be called for every key, to measure idle time. Returns whether the dialog used the key. */
  handleKey(keyInput: KeyInput): boolean {
    this.#lastKeyAt = this.#clock.now();
    const open = this.#dialogs[0];
    if (!open) return false;
    const dismisses = 'key' in keyInput && (keyInput.key === 'escape' || keyInput.key === 'ctrl+c');
    if (dismisses) open.close(undefined);
    else if (!this.#acceptsKeys) {
      this.#updateAcceptsKeys();
      // Keys still go to the draft, except Enter, which would send it.
      return 'key' in keyInput && keyInput.key === 'enter';
    } else {
      const answer = open.dialog.handleKey(keyInput);
      if (answer !== undefined) open.close(answer);
    }
    return true;
  }

  /** The requester no longer waits for the answer. */
  cancel(id: string): void {
    this.#dialogs.find((open) => open.id === id)?.close(undefined);
  }

  dismissAll(): void {
    for (const open of [...this.#dialogs]) open.close(undefined);
  }

  render(width: number, height: number): RenderedRows | undefined {
    const open = this.#dialogs[0];
    if (!open) return undefined;
    const { rows, cursor } = open.dialog.render(width, height);
    return {
      rows: [EMPTY_LINE, ...rows, this.#renderHint(open)],
      cursor: cursor && { ...cursor, row: cursor.row + 1 },
    };
  }

  #renderHint({ dialog, deadline }: OpenDialog): Line {
    const timeLeft =
      deadline === undefined ? [] : [`${Math.max(0, Math.ceil((deadline - this.#clock.now()) / 1000))} s left`];
    const more = this.#dialogs.length > 1 ? [`${this.#dialogs.length - 1} more`] : [];
    return line([this.#acceptsKeys ? dialog.hint : 'paused while you type…', ...timeLeft, ...more].join(' · '), {
      dim: true,
    });
  }

  #updateAcceptsKeys(): void {
    this.#cancelIdleTimer();
    const wait = this.#lastKeyAt + this.#keyIdleMs - this.#clock.now();
    this.#acceptsKeys = wait <= 0;
    if (this.#acceptsKeys) return;
    this.#cancelIdleTimer = this.#clock.after(wait, () => {
      this.#updateAcceptsKeys();
      this.#onChange();
    });
  }
}

function createDialog(request: Exclude<DialogRequest, { method: 'confirm' }>): Dialog {
  if (request.method === 'input') return new InputDialog(request.title, { placeholder: request.placeholder });
  if (request.method === 'editor')
    return new InputDialog(request.title, { prefill: request.prefill, isMultiline: true });
  const choices = request.options.map((label) => ({ value: label, label }));
  return new SelectDialog(request.title, choices, { message: request.message });
}
