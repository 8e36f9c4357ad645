// Queues dialogs and shows one at a time. Every dialog ends: answered, dismissed or timed out.
import type { DialogRequest } from '../../client/index.ts';
import type { Cancel, Clock } from '../../contracts/index.ts';
import type { UiAnswer } from '../../protocol/index.ts';
import type { KeyInput } from '../input/key-decoder.ts';
import { EMPTY_LINE, type Line, line } from '../text/line.ts';
import { describeCall } from '../transcript/tool-call-title.ts';
import { ApprovalDialog, type CallToApprove, formatRules, formatSessionScope } from './approval-dialog.ts';
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
  close(end: DialogEnd): void;
}

/** `withdrawn`: the requester no longer waits, or the terminal is closing. */
type DialogEnd = { readonly answer: string } | { readonly answeredBy: string } | 'dismissed' | 'timeout' | 'withdrawn';

/** Where dialogs print what they did. */
export interface DialogOutput {
  notify(message: string, level?: 'info' | 'warning'): void;
  printBlock(lines: readonly Line[]): void;
  /** The result of this call is not printed: a notice says that it was denied. */
  omitCall(toolCallId: string): void;
}

interface DialogQueueOptions {
  onChange(): void;
  /** Throws when what the user has chosen for a command cannot be done now. */
  checkChoice(): void;
}

export class DialogQueue {
  readonly #clock: Clock;
  readonly #keyIdleMs: number;
  readonly #onChange: () => void;
  readonly #checkChoice: () => void;
  readonly #output: DialogOutput;
  readonly #dialogs: OpenDialog[] = [];
  #lastKeyAt = Number.NEGATIVE_INFINITY;
  #acceptsKeys = true;
  #cancelIdleTimer: Cancel = () => {};

  constructor(clock: Clock, keyIdleMs: number, output: DialogOutput, options: DialogQueueOptions) {
    this.#output = output;
    this.#clock = clock;
    this.#keyIdleMs = keyIdleMs;
    this.#onChange = options.onChange;
    this.#checkChoice = options.checkChoice;
  }

  get current(): Dialog | undefined {
    return this.#dialogs[0]?.dialog;
  }

  /** Shows a dialog that the agent or an extension requested. A dialog that is withdrawn gets no answer: another client may answer it. */
  async showRequest(request: DialogRequest): Promise<UiAnswer | 'leave-open' | undefined> {
    const toolCall = request.method === 'select' ? request.toolCall : undefined;
    const dialog = this.#createDialog(request);
    const end = await this.#open(dialog, request.id, 'timeout' in request ? request.timeout : 0);
    if (end === 'withdrawn') return 'leave-open';
    if (typeof end === 'object' && 'answeredBy' in end) {
      this.#output.notify(`Answered by ${end.answeredBy}: ${request.title}`);
      this.#onChange();
      return 'leave-open';
    }
    const answer = typeof end === 'object' ? end.answer : undefined;
    if (toolCall)
      return this.#endApproval(toolCall, end, dialog instanceof ApprovalDialog ? dialog.message : undefined);
    if (end === 'dismissed') this.#output.notify(`Cancelled: ${request.title}`, 'warning');
    if (end === 'timeout') this.#output.notify(`Not answered in time: ${request.title}`, 'warning');
    if (answer === undefined) return undefined;
    return request.method === 'confirm' ? { confirmed: answer === 'yes' } : { value: answer };
  }

  /** Opens a dialog that the user requested with the last key, so it accepts keys at once. */
  async choose(dialog: Dialog): Promise<string | undefined> {
    this.#lastKeyAt = Number.NEGATIVE_INFINITY;
    const end = await this.#open(dialog);
    if (typeof end !== 'object' || !('answer' in end)) return undefined;
    this.#checkChoice();
    return end.answer;
  }

  #endApproval(
    call: CallToApprove,
    end: { readonly answer: string } | 'dismissed' | 'timeout',
    message: string | undefined,
  ): UiAnswer {
    if (end === 'timeout') return { cancelled: true, timedOut: true };
    const value = end === 'dismissed' ? 'deny' : end.answer;
    if (value === 'allow_session') this.#output.notify(`Allowed in this session: ${formatSessionScope(call)}`);
    if (value === 'allow_always') this.#output.notify(`Always allowed: ${formatRules(call)}`);
    if (value !== 'deny') return { value };
    const { toolCallId, toolName: name, args } = call;
    const title = describeCall({ name, args }).map(({ text }) => text);
    const reply = message === undefined ? '' : `. Message to the model: ${message}`;
    this.#output.omitCall(toolCallId);
    this.#output.notify(`Denied: ${title.join('')}${reply}`, 'warning');
    return { value, ...(message === undefined ? {} : { message }) };
  }

  #open(dialog: Dialog, id?: string, timeout?: number): Promise<DialogEnd> {
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const entry: OpenDialog = {
        id,
        dialog,
        deadline: timeout ? this.#clock.now() + timeout : undefined,
        close: (end) => {
          cancel();
          const at = this.#dialogs.indexOf(entry);
          if (at >= 0) this.#dialogs.splice(at, 1);
          if (at === 0) this.#updateAcceptsKeys();
          this.#onChange();
          resolve(end);
        },
      };
      this.#dialogs.push(entry);
      if (timeout) cancel = this.#clock.after(timeout, () => entry.close('timeout'));
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
    if ('key' in keyInput && keyInput.key === 'escape' && open.dialog.goBack?.()) return true;
    if (dismisses) open.close('dismissed');
    else if (!this.#acceptsKeys) {
      this.#updateAcceptsKeys();
      // Keys still go to the draft, except Enter, which would send it.
      return 'key' in keyInput && keyInput.key === 'enter';
    } else {
      const answer = open.dialog.handleKey(keyInput);
      if (answer !== undefined) open.close({ answer });
    }
    return true;
  }

  /** The requester no longer waits for the answer. `answeredBy`: another client has answered. */
  cancel(id: string, answeredBy?: string): void {
    const end = answeredBy === undefined ? 'withdrawn' : { answeredBy };
    this.#dialogs.find((open) => open.id === id)?.close(end);
  }

  dismissAll(): void {
    for (const open of [...this.#dialogs]) open.close('withdrawn');
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

  #createDialog(request: DialogRequest): Dialog {
    const { title } = request;
    if (request.method === 'confirm') return createConfirmDialog(title, request.message);
    if (request.method === 'input') return new InputDialog(title, { placeholder: request.placeholder });
    if (request.method === 'editor') return new InputDialog(title, { prefill: request.prefill, isMultiline: true });
    if (request.toolCall) return new ApprovalDialog(request, request.toolCall, (body) => this.#output.printBlock(body));
    const choices = request.options.map((label) => ({ value: label, label }));
    return new SelectDialog(title, choices, { message: request.message });
  }
}
