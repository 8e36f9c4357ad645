// The rows of a conversation that are not tool calls: prompts, answers, thinking, notices and summaries.
import type { AgentMessage } from '../../../src/protocol/index.ts';
import { Markdown, MarkdownText } from '../markdown/markdown.tsx';
import { readText } from '../panels/tree-layout.ts';
import { formatCost, formatNumber, formatShort, takeEnd, takeStart } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { CallCard } from './call-card.tsx';
import { useConversation } from './conversation-context.ts';
import type { Row } from './conversation-rows.ts';
import { readOutput } from './describe-call.ts';
import { Disclosure } from './disclosure.tsx';
import { OutputText } from './output-text.tsx';
import { Pictures } from './pictures.tsx';

export function RowView({ row }: { readonly row: Row }) {
  switch (row.kind) {
    case 'gap':
      return <div class="gap" aria-hidden="true" />;
    case 'text':
      return <MarkdownText chunk={row.chunk} isStreaming={row.isStreaming} />;
    case 'thinking':
      return <Thinking row={row} />;
    case 'call':
      return <CallCard row={row} />;
    case 'end':
      return <AnswerEnd row={row} />;
    case 'notice':
      return (
        <p class={`notice ${row.notice.level}`}>
          <Icon name={row.notice.level === 'info' ? 'info' : 'warning'} size={14} />
          <span>{row.notice.text}</span>
        </p>
      );
    case 'waiting':
      return (
        <p class="waiting-line">
          <span class="spinner" aria-hidden="true" /> Waiting for the model
        </p>
      );
    default:
      return <MessageView row={row} />;
  }
}

function Thinking({ row }: { readonly row: Extract<Row, { kind: 'thinking' }> }) {
  const { key, text, isRedacted, isStreaming } = row;
  if (isStreaming) {
    return (
      <div class="thinking live">
        <p class="thinking-label">
          <span class="spinner" aria-hidden="true" /> Thinking
        </p>
        <p class="thinking-text" dir="auto">
          {takeEnd(text, 600)}
        </p>
      </div>
    );
  }
  const summary = (
    <>
      <Icon name="brain" size={14} />
      <span>{isRedacted ? 'Thinking, hidden by the provider' : 'Thinking'}</span>
      <span class="quiet preview">{takeStart(text, 140)}</span>
    </>
  );
  return (
    <Disclosure id={key} class="thinking" summary={summary}>
      {() => (
        <p class="thinking-text" dir="auto">
          {text}
        </p>
      )}
    </Disclosure>
  );
}

function AnswerEnd({ row: { message, index } }: { readonly row: Extract<Row, { kind: 'end' }> }) {
  const { conversation } = useConversation();
  if (message.role !== 'assistant') return null;
  const { stopReason, errorMessage } = message;
  if (stopReason === 'aborted') return <p class="notice warning">Aborted</p>;
  const text = errorMessage ?? (stopReason === 'length' ? 'The answer reached the limit of the model' : 'Failed');
  return (
    // Older errors would be read out again whenever they are scrolled into view.
    <p class="notice error" role={index === conversation.messages.length - 1 ? 'alert' : undefined}>
      <Icon name="warning" size={14} />
      <span>{text}</span>
    </p>
  );
}

type MessageRow = Extract<Row, { kind: 'message' }>;

function MessageView({ row: { message, key } }: { readonly row: MessageRow }) {
  switch (message.role) {
    case 'user':
      return (
        <section class="prompt-message" aria-label="Prompt">
          <Markdown text={readText(message.content)} />
          <Pictures content={message.content} />
        </section>
      );
    case 'bashExecution':
      return (
        <section class="card bash" aria-label="Command of the user">
          <header class="card-head">
            <Icon name="terminal" class="card-icon" />
            <code class="subject">{message.command}</code>
            <span class="status">{message.cancelled ? 'cancelled' : `exit ${message.exitCode ?? '?'}`}</span>
          </header>
          <OutputText id={key} text={message.output} showsEnd />
        </section>
      );
    case 'compactionSummary':
      return (
        <Summary id={key} text={message.summary}>
          Compaction of {formatShort(message.tokensBefore)} tokens
        </Summary>
      );
    case 'branchSummary':
      return (
        <Summary id={key} text={message.summary}>
          Summary of another branch
        </Summary>
      );
    case 'toolResult':
      return <OutputText id={key} text={readOutput(message.content)} />;
    default:
      return (
        <section class="card custom">
          <Markdown text={'content' in message ? readText(message.content) : ''} />
        </section>
      );
  }
}

interface SummaryProps {
  readonly id: string;
  readonly text: string;
  readonly children: import('preact').ComponentChildren;
}

function Summary({ id, text, children }: SummaryProps) {
  return (
    <div class="divider">
      <Disclosure id={id} summary={<span>{children}</span>}>
        {() => <Markdown text={text} />}
      </Disclosure>
    </div>
  );
}

/** Tokens and cost of an answer, shown when the pointer is over it. */
export function describeUsage(message: AgentMessage | undefined): string | undefined {
  if (message?.role !== 'assistant') return undefined;
  const { usage, provider, model } = message;
  const total = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  if (total === 0) return `${provider}/${model}`;
  const cost = usage.cost.total > 0 ? ` · ${formatCost(usage.cost.total)}` : '';
  return `${provider}/${model} · ${formatNumber(total)} tokens${cost}`;
}
