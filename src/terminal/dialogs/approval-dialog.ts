// Dialog that asks whether a tool call may run. Shows a change as a diff, a command as a command, and other arguments one by one.
import { escapeInvisible } from '../../base/escape-invisible.ts';
import type { DialogRequest } from '../../client/index.ts';
import { highlightLinesOf } from '../markdown/highlight-code.ts';
import { hardWrapLine, type Line, line, prefixLines, span, type TextStyle } from '../text/line.ts';
import { renderDiff } from '../transcript/render-diff.ts';
import { countChanges } from '../transcript/tool-call-title.ts';
import { type Choice, SelectDialog } from './select-dialog.ts';

type ApprovalRequest = Extract<DialogRequest, { method: 'select' }>;
export type CallToApprove = NonNullable<ApprovalRequest['toolCall']>;

/** Arguments that a diff shows completely. */
const DIFF_ARGUMENTS: readonly string[] = ['path', 'content', 'edits', 'oldText', 'newText'];
const TAB = '    ';
const LABEL: TextStyle = { dim: true };

export function createApprovalDialog(
  { title, options }: ApprovalRequest,
  call: CallToApprove,
  showAll: (body: readonly Line[]) => void,
): SelectDialog {
  const renderBody = (width: number) => renderCall(call).flatMap((spans) => hardWrapLine(spans, width));
  const choices = options.map((value) => createChoice(value, call.toolName));
  return new SelectDialog(title, choices, { renderBody, showAll, escapeHint: 'Esc to deny' });
}

function createChoice(value: string, toolName: string): Choice {
  if (value === 'allow') return { value, label: 'Yes', key: 'y' };
  if (value === 'deny') return { value, label: 'No', key: 'n', isRefusal: true };
  if (value === 'allow_session')
    return { value, label: `Always: allow every ${toolName} call in this session`, key: 'a' };
  return { value, label: value };
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
