// A chart of the context use, the tokens and the cost of a session, with a table as its text alternative.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SessionStore } from '../app/session-store.ts';
import { formatCost, formatCount, formatNumber, formatShort } from '../parts/format.ts';
import { listPathEntries } from './tree-layout.ts';
import { UsageChart } from './usage-chart.tsx';
import { collectUsage, sumTokens, TOKEN_KINDS, type UsagePoint } from './usage-series.ts';
import { useTree } from './use-tree.ts';

export const KIND_NAMES = {
  input: 'input',
  cacheRead: 'from cache',
  cacheWrite: 'to cache',
  output: 'output',
} as const;

export function UsagePanel({ store }: { readonly store: SessionStore }) {
  const tree = useTree(store);
  const points = useMemo(
    () => (tree.kind === 'loaded' ? collectUsage(listPathEntries(tree.tree, tree.leafId)) : []),
    [tree],
  );
  const { state } = store.view.value;
  return (
    <>
      <ContextUse store={store} />
      {tree.kind === 'failed' ? <p class="problem">{tree.reason}</p> : null}
      {points.length === 0 ? (
        <p class="quiet">{tree.kind === 'loading' ? 'Loading…' : 'The session has no usage yet.'}</p>
      ) : (
        <>
          <UsageChart points={points} contextWindow={state?.model?.contextWindow} />
          <Legend points={points} />
          <UsageTable points={points} />
        </>
      )}
    </>
  );
}

/** The result of `get_context_breakdown`. */
interface Breakdown {
  readonly contextWindow: number;
  readonly tokens: number;
  readonly systemPrompt: { readonly tokens: number };
  readonly contextFiles: readonly { readonly tokens: number }[];
  readonly tools: readonly { readonly tokens: number }[];
  readonly messages: { readonly tokens: number };
}

/** What fills the context window now. */
function ContextUse({ store }: { readonly store: SessionStore }) {
  const { conversation, sessionId, attachCount } = store.view.value;
  const [breakdown, setBreakdown] = useState<Breakdown | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    store.call('get_context_breakdown').then(
      (reply) => isCurrent && setBreakdown(reply as Breakdown),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [sessionId, attachCount, conversation.messages.length]);
  if (!breakdown) return null;
  const parts = [
    { name: 'system prompt', tokens: breakdown.systemPrompt.tokens },
    { name: 'context files', tokens: breakdown.contextFiles.reduce((sum, file) => sum + file.tokens, 0) },
    { name: 'tools', tokens: breakdown.tools.reduce((sum, tool) => sum + tool.tokens, 0) },
    { name: 'messages', tokens: breakdown.messages.tokens },
  ];
  const { contextWindow, tokens } = breakdown;
  return (
    <section class="context-use" aria-label="Context use">
      <h3>
        Context{' '}
        <span class="quiet">
          {formatShort(tokens)} of {formatShort(contextWindow)} tokens
        </span>
      </h3>
      <div class="context-bar" aria-hidden="true">
        {parts.map((part, at) => (
          <span
            key={part.name}
            class={`part-${at}`}
            style={{ width: `${Math.min(100, (100 * part.tokens) / Math.max(1, contextWindow))}%` }}
          />
        ))}
      </div>
      <ul class="legend">
        {parts.map(({ name, tokens: used }, at) =>
          used === 0 ? null : (
            <li key={name}>
              <span class={`key part-${at}`} />
              {name} {formatShort(used)}
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

function Legend({ points }: { readonly points: readonly UsagePoint[] }) {
  const kinds = TOKEN_KINDS.filter((kind) => points.some((point) => point[kind] > 0));
  const hasCost = points.some(({ cost }) => cost > 0);
  return (
    <ul class="legend">
      {kinds.map((kind) => (
        <li key={kind}>
          <span class={`key ${kind}`} />
          {KIND_NAMES[kind]}
        </li>
      ))}
      <li>
        <span class="key context" />
        context
      </li>
      {hasCost ? (
        <li>
          <span class="key cost" />
          cost so far
        </li>
      ) : null}
    </ul>
  );
}

function UsageTable({ points }: { readonly points: readonly UsagePoint[] }) {
  return (
    <details class="usage-table">
      <summary>As a table · {formatCount(points.length, 'row')}</summary>
      <div class="table-box">
        <table>
          <thead>
            <tr>
              <th>turn</th>
              <th>tokens</th>
              <th>context</th>
              <th>cost</th>
              <th>so far</th>
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr key={point.firstTurn}>
                <td>{nameTurns(point)}</td>
                <td>{formatNumber(sumTokens(point))}</td>
                <td>{formatNumber(point.context)}</td>
                <td>{formatCost(point.cost)}</td>
                <td>{formatCost(point.totalCost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function nameTurns({ firstTurn, lastTurn }: UsagePoint): string {
  return firstTurn === lastTurn ? `${firstTurn}` : `${firstTurn}–${lastTurn}`;
}
