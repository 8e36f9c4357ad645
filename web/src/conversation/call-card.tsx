// A tool call with its arguments, its live output and its result.
import { useMemo } from 'preact/hooks';
import type { ToolResultMessage } from '../../../src/protocol/index.ts';
import { CodeBlock } from '../markdown/code-block.tsx';
import { getLanguage } from '../markdown/highlight.ts';
import { IconButton } from '../parts/button.tsx';
import { formatBytes, formatCount, shorten, takeEnd } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import type { ToolRun } from '../store/conversation.ts';
import { type DialogRequest, isRunning, type SessionView } from '../store/session-view.ts';
import { isTodoList } from '../store/todo-list.ts';
import { useConversation, useExpanded } from './conversation-context.ts';
import { findResult, type Row } from './conversation-rows.ts';
import { describeCall, readOutput } from './describe-call.ts';
import { DiffView } from './diff-view.tsx';
import { countChanges, parseDiff } from './numbered-diff.ts';
import { OutputText } from './output-text.tsx';
import { Pictures } from './pictures.tsx';
import { CallSubagents } from './subagent-panes.tsx';

type CallRow = Extract<Row, { kind: 'call' }>;

type CallStatus = 'preparing' | 'pending' | 'unfinished' | 'running' | 'done' | 'failed';

const STATUS_TEXTS: Readonly<Record<CallStatus, string>> = {
  preparing: 'preparing',
  pending: 'waiting',
  unfinished: 'no result',
  running: 'running',
  done: 'done',
  failed: 'failed',
};

export function CallCard({ row }: { readonly row: CallRow }) {
  const { conversation, store } = useConversation();
  const { block, index, key } = row;
  const [isShowingArguments, setIsShowingArguments] = useExpanded(`${key}.args`, false);
  const result = findResult(conversation, index, block.id);
  const run = conversation.tools.get(block.id);
  const status = findStatus(row, result, run, store.view.value);
  const args = run?.args ?? block.arguments;
  const { subject, icon } = describeCall(block.name, args);
  const details = (result?.details ?? run?.output?.details) as { diff?: unknown } | undefined;
  const diff = typeof details?.diff === 'string' ? details.diff : undefined;
  return (
    <section class={`card call ${status}`} aria-label={`Tool ${block.name}, ${STATUS_TEXTS[status]}`}>
      <header class="card-head">
        <Icon name={icon} class="card-icon" />
        <span class="tool-name">{block.name}</span>
        <span class="subject" title={subject}>
          {shorten(subject, 160)}
        </span>
        <IconButton
          icon="braces"
          label="Arguments"
          class="arguments-button"
          isPressed={isShowingArguments}
          onClick={() => setIsShowingArguments(!isShowingArguments)}
        />
        {diff === undefined ? null : <ChangeCount diff={diff} />}
        <span class={`status ${status}`}>
          {status === 'running' || status === 'preparing' ? <span class="spinner" aria-hidden="true" /> : null}
          {STATUS_TEXTS[status]}
        </span>
      </header>
      {isShowingArguments ? <CodeBlock code={JSON.stringify(args, null, 2)} language="json" /> : null}
      {block.argumentText === undefined ? null : <Preparation text={block.argumentText} />}
      <CallBody id={key} row={row} args={args} result={result} run={run} diff={diff} />
      <CallSubagents callId={block.id} details={details} />
    </section>
  );
}

function isAboutCall(dialog: DialogRequest, callId: string): boolean {
  return dialog.method === 'select' && dialog.toolCall?.toolCallId === callId;
}

function findStatus(
  { block }: CallRow,
  result: ToolResultMessage | undefined,
  run: ToolRun | undefined,
  view: SessionView,
): CallStatus {
  if (result) return result.isError ? 'failed' : 'done';
  // A call that waits for an approval has been announced as started, but does nothing yet.
  if (view.dialogs.some((dialog) => isAboutCall(dialog, block.id))) return 'pending';
  if (run) return run.status;
  if (block.argumentText !== undefined) return 'preparing';
  // The run was aborted or interrupted before the call.
  return isRunning(view) ? 'pending' : 'unfinished';
}

export function ChangeCount({ diff }: { readonly diff: string }) {
  // Drawn again with every delta of a run.
  const { added, removed } = useMemo(() => countChanges(parseDiff(diff)), [diff]);
  return (
    <span
      class="change-count"
      role="img"
      aria-label={`${formatCount(added, 'line')} added, ${formatCount(removed, 'line')} removed`}
    >
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}

/** The end of the arguments while they arrive. */
function Preparation({ text }: { readonly text: string }) {
  return (
    <p class="preparation">
      <span class="quiet">{formatBytes(text.length)}</span> <code>{takeEnd(text, 120)}</code>
    </p>
  );
}

interface CallBodyProps {
  readonly id: string;
  readonly row: CallRow;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: ToolResultMessage | undefined;
  readonly run: ToolRun | undefined;
  readonly diff: string | undefined;
}

function CallBody({ id, row, args, result, run, diff }: CallBodyProps) {
  const content = result?.content ?? run?.output?.content;
  const text = readOutput(content);
  const isLive = result === undefined && run?.status === 'running';
  const { path } = describeCall(row.block.name, args);
  const command = typeof args.command === 'string' && args.command.includes('\n') ? args.command : undefined;
  const isFailed = result?.isError === true || run?.status === 'failed';
  const todos = (result?.details as { todos?: unknown } | undefined)?.todos;
  return (
    <>
      {command === undefined ? null : <CodeBlock code={command} language="bash" />}
      {diff === undefined ? null : <DiffView id={id} diff={diff} />}
      {isTodoList(todos) ? (
        <TodoLines todos={todos} />
      ) : diff !== undefined && !isFailed ? null : (
        <ToolOutput
          id={id}
          text={text}
          isLive={isLive}
          showsEnd={isLive || isFailed}
          path={isFailed ? undefined : path}
          args={args}
        />
      )}
      <Pictures content={content} />
    </>
  );
}

interface ToolOutputProps {
  readonly id: string;
  readonly text: string;
  readonly isLive: boolean;
  /** The reason of a failure is at the end. */
  readonly showsEnd: boolean;
  readonly path: string | undefined;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The written content if there is any, otherwise the output. */
function ToolOutput({ id, text, isLive, showsEnd, path, args }: ToolOutputProps) {
  const language = path === undefined ? '' : getLanguage(path);
  if (typeof args.content === 'string' && path !== undefined) {
    return <OutputText id={`${id}.content`} text={args.content} language={language} maxLines={8} />;
  }
  return <OutputText id={id} text={text} language={language} showsEnd={showsEnd} maxLines={isLive ? 16 : 8} />;
}

const TODO_MARKS: Readonly<Record<string, string>> = {
  pending: '○',
  in_progress: '◐',
  completed: '●',
  abandoned: '−',
  blocked: '!',
};

export function TodoLines({ todos }: { readonly todos: readonly { content: string; status: string; id?: string }[] }) {
  return (
    <ul class="todo-lines">
      {todos.map(({ id, content, status }) => (
        <li key={id ?? content} class={status}>
          <span class="mark" role="img" aria-label={status.replace('_', ' ')}>
            {TODO_MARKS[status] ?? '○'}
          </span>
          {content}
        </li>
      ))}
    </ul>
  );
}
