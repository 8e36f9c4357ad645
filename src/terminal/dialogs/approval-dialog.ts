// Dialog that asks whether a tool call may run. Shows a change as a diff, a command as a command, and other arguments one by one.
import { escapeInvisible } from '../../base/escape-invisible.ts';
import type { DialogRequest } from '../../client/index.ts';
import type { KeyInput } from '../input/key-decoder.ts';
import { highlightLinesOf } from '../markdown/highlight-code.ts';
import { hardWrapLine, type Line, line, prefixLines, span, type TextStyle } from '../text/line.ts';
import { measureWidth } from '../text/text-width.ts';
import { renderDiff } from '../transcript/render-diff.ts';
import { countChanges } from '../transcript/tool-call-title.ts';
import type { Dialog, RenderedRows } from './dialog.ts';
import { InputDialog } from './input-dialog.ts';
import { type Choice, SelectDialog } from './select-dialog.ts';

type ApprovalRequest = Extract<DialogRequest, { method: 'select' }>;
export type CallToApprove = NonNullable<ApprovalRequest['toolCall']>;

/** Arguments that a diff shows completely. */
const DIFF_ARGUMENTS: readonly string[] = ['path', 'content', 'edits', 'oldText', 'newText'];
const TAB = '    ';
const LABEL: TextStyle = { dim: true };

/** Opens the input for the message. It is no answer of the request. */
const WRITE_MESSAGE = 'write_message';
/** `› 3. ` in front of a label. */
const CHOICE_PREFIX_WIDTH = 5;

export class ApprovalDialog implements Dialog {
  readonly #choices: SelectDialog;
  readonly #input = new InputDialog('Why not? The model gets this message.', { escapeHint: 'Esc to go back' });
  #isWriting = false;
  #message: string | undefined;

  constructor({ title, options }: ApprovalRequest, call: CallToApprove, showAll: (body: readonly Line[]) => void) {
    const choices = [...options.map((value) => createChoice(value, call)), MESSAGE_CHOICE];
    const renderBody = (width: number) =>
      [...renderCall(call), ...renderScopes(call, choices, width)].flatMap((spans) => hardWrapLine(spans, width));
    this.#choices = new SelectDialog(title, choices, { renderBody, showAll, escapeHint: 'Esc to deny' });
  }

  /** What the user wrote to the model, when the answer is `deny`. */
  get message(): string | undefined {
    return this.#message;
  }

  get hint(): string {
    return this.#current.hint;
  }

  get #current(): Dialog {
    return this.#isWriting ? this.#input : this.#choices;
  }

  handleKey(keyInput: KeyInput): string | undefined {
    const answer = this.#current.handleKey(keyInput);
    if (this.#isWriting && answer !== undefined) {
      this.#message = answer.trim() || undefined;
      return 'deny';
    }
    if (answer === WRITE_MESSAGE) this.#isWriting = true;
    return answer === WRITE_MESSAGE ? undefined : answer;
  }

  render(width: number, height: number): RenderedRows {
    return this.#current.render(width, height);
  }

  goBack(): boolean {
    const wasWriting = this.#isWriting;
    this.#isWriting = false;
    return wasWriting;
  }
}

const MESSAGE_CHOICE: Choice = {
  value: WRITE_MESSAGE,
  label: 'No, with a message to the model',
  key: 'm',
  isRefusal: true,
};

function createChoice(value: string, call: CallToApprove): Choice {
  if (value === 'allow') return { value, label: 'Yes', key: 'y' };
  if (value === 'deny') return { value, label: 'No', key: 'n', isRefusal: true };
  if (value === 'allow_session') return { value, label: `Yes, in this session: ${formatSessionScope(call)}`, key: 'a' };
  if (value === 'allow_always')
    return { value, label: `Yes, always: ${formatRules(call)} (saved in your settings)`, key: 'p' };
  return { value, label: value };
}

export function formatSessionScope({ toolName, sessionScope = toolName }: CallToApprove): string {
  return escapeInvisible(sessionScope);
}

export function formatRules({ rules = [] }: CallToApprove): string {
  return rules.map(escapeInvisible).join(', ');
}

/** The reason, and what the answers cover if a label is cut off: the user must have seen it before answering. */
function renderScopes(call: CallToApprove, choices: readonly Choice[], width: number): Line[] {
  const reason = call.reason ? splitVisibleLines(call.reason).map((text) => line(text, { colour: 'yellow' })) : [];
  const isCut = choices.some(({ label }) => measureWidth(label) + CHOICE_PREFIX_WIDTH > width);
  if (!isCut) return reason;
  const session = call.sessionScope ? [[span('in this session: ', LABEL), span(formatSessionScope(call))]] : [];
  const always = (call.rules ?? []).map((rule) => [span('always: ', LABEL), span(escapeInvisible(rule))]);
  return [...reason, ...session, ...always];
}

/** Contains every argument. */
function renderCall({ args, cwd, diff }: CallToApprove): Line[] {
  if (diff !== undefined) return [...renderChange(args.path, diff), ...renderArguments(args, DIFF_ARGUMENTS)];
  if (typeof args.command !== 'string') return renderArguments(args, []);
  const shell = highlightLinesOf('bash', {});
  const command = splitVisibleLines(args.command.trimEnd()).map((text) => shell.push(text));
  return [
    ...prefixLines([span('$ ', { colour: 'cyan' })], command),
    [span('in ', LABEL), span(escapeInvisible(cwd))],
    ...renderArguments(args, ['command']),
  ];
}

function renderChange(path: unknown, diff: string): Line[] {
  const name = typeof path === 'string' ? escapeInvisible(path) : '';
  return [[span(name, { bold: true }), ...countChanges(diff)], ...renderDiff(splitVisibleLines(diff).join('\n'))];
}

function renderArguments(args: CallToApprove['args'], omitted: readonly string[]): Line[] {
  return Object.entries(args).flatMap(([key, value]) => {
    if (omitted.includes(key)) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    const [first = '', ...others] = splitVisibleLines(text ?? String(value));
    const label = span(`${escapeInvisible(key)}: `, LABEL);
    if (others.length === 0) return [[label, span(first)]];
    return [[label], ...[first, ...others].map((row) => line(`  ${row}`))];
  });
}

/** Invisible characters could hide a part of the call, so they are escaped. Tabs are shown as blanks. */
function splitVisibleLines(text: string): string[] {
  return text.split('\n').map((row) => escapeInvisible(row.replaceAll('\t', TAB)));
}
