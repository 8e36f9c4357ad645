// The branch tree of a session as a picture. A click continues the conversation after that row.
import { useMemo, useState } from 'preact/hooks';
import { canChange } from '../app/app-state.ts';
import type { SessionStore } from '../app/session-store.ts';
import { formatCount } from '../parts/format.ts';
import { prependDraft } from '../prompt/draft.ts';
import { isRunning } from '../store/session-view.ts';
import { layOutTree, type TreeRow } from './tree-layout.ts';
import { useTree } from './use-tree.ts';

const ROW_HEIGHT = 28;
const LANE_WIDTH = 18;
const LEFT = 16;
/** Deeper branches are drawn in the last lane. */
const MAX_LANE = 8;
/** Older rows are drawn on request. */
const MAX_ROWS = 400;

export function TreePanel({ store }: { readonly store: SessionStore }) {
  const tree = useTree(store);
  const [isComplete, setIsComplete] = useState(false);
  const rows = useMemo(() => (tree.kind === 'loaded' ? layOutTree(tree.tree, tree.leafId) : []), [tree]);
  if (tree.kind === 'loading') return <p class="quiet">Loading…</p>;
  if (tree.kind === 'failed') return <p class="problem">{tree.reason}</p>;
  if (rows.length === 0) return <p class="quiet">The session has no messages.</p>;
  const hidden = isComplete ? 0 : Math.max(0, rows.length - MAX_ROWS);
  return (
    <>
      <p class="panel-note">
        {formatCount(rows.length, 'row')}.{' '}
        {canChange.value
          ? 'Choose a row to continue the conversation after it. With Shift, a prompt can be changed.'
          : ''}
      </p>
      {hidden > 0 ? (
        <button type="button" class="text-button" onClick={() => setIsComplete(true)}>
          Show {formatCount(hidden, 'earlier row')}
        </button>
      ) : null}
      <TreePicture rows={rows} hidden={hidden} store={store} />
    </>
  );
}

interface TreePictureProps {
  readonly rows: readonly TreeRow[];
  readonly hidden: number;
  readonly store: SessionStore;
}

function TreePicture({ rows, hidden, store }: TreePictureProps) {
  const shown = rows.slice(hidden);
  return (
    <svg class="tree" width="100%" height={shown.length * ROW_HEIGHT} role="group" aria-label="Branch tree">
      {shown.map((row, at) => (
        <Edge key={`e${row.entryId}`} row={row} at={at} parent={rows[row.parent]} parentAt={row.parent - hidden} />
      ))}
      {shown.map((row, at) => (
        <TreeNode key={row.entryId} row={row} at={at} onSelect={({ shiftKey }) => void moveTo(store, row, shiftKey)} />
      ))}
    </svg>
  );
}

/** Continues after a row. A prompt can also be changed: then the conversation continues before it. */
async function moveTo(store: SessionStore, row: TreeRow, shouldChange: boolean): Promise<void> {
  const isChange = shouldChange && row.prompt !== undefined;
  if (!canChange.value || (row.isLeaf && !isChange)) return;
  if (isRunning(store.view.value)) {
    store.onFailure('A run is in progress. Abort it first.');
    return;
  }
  const isMoved = await store.run('move_to', { entryId: isChange ? row.entryId : row.lastEntryId });
  if (!isMoved || row.prompt === undefined || !isChange) return;
  prependDraft(store.view.value.sessionId, { text: row.prompt, images: [] });
  document.getElementById('prompt')?.focus();
}

function getX({ lane }: Pick<TreeRow, 'lane'>): number {
  return LEFT + Math.min(lane, MAX_LANE) * LANE_WIDTH;
}

function getY(at: number): number {
  return at * ROW_HEIGHT + ROW_HEIGHT / 2;
}

interface EdgeProps {
  readonly row: TreeRow;
  readonly at: number;
  readonly parent: TreeRow | undefined;
  readonly parentAt: number;
}

function Edge({ row, at, parent, parentAt }: EdgeProps) {
  if (!parent) return null;
  const [x1, y1, x2, y2] = [getX(parent), Math.max(0, getY(parentAt)), getX(row), getY(at)];
  const end = x1 === x2 ? `V${y2}` : `V${y2 - 10}Q${x1} ${y2} ${x2} ${y2}`;
  return <path class={row.isOnPath ? 'edge on-path' : 'edge'} d={`M${x1} ${y1}${end}`} />;
}

interface TreeNodeProps {
  readonly row: TreeRow;
  readonly at: number;
  readonly onSelect: (event: MouseEvent | KeyboardEvent) => void;
}

function TreeNode({ row, at, onSelect }: TreeNodeProps) {
  const [x, y] = [getX(row), getY(at)];
  const answers = row.answers > 0 ? formatCount(row.answers, 'answer') : '';
  const label = [row.text, row.label, answers, row.time, row.isLeaf ? 'current' : '']
    .filter((part) => part)
    .join(' · ');
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onSelect(event);
  };
  return (
    <g
      class={`tree-row ${row.kind} ${row.isOnPath ? 'on-path' : ''} ${row.isLeaf ? 'leaf' : ''}`}
      role="button"
      tabindex={0}
      aria-label={label}
      aria-current={row.isLeaf ? 'true' : undefined}
      onClick={onSelect}
      onKeyDown={onKeyDown}
    >
      <title>{label}</title>
      <rect class="hit" x="0" y={at * ROW_HEIGHT} width="100%" height={ROW_HEIGHT} rx="6" />
      {row.isLeaf ? <circle class="ring" cx={x} cy={y} r="8" /> : null}
      {row.kind === 'compaction' ? (
        <path class="node" d={`M${x} ${y - 6}l6 6l-6 6l-6 -6z`} />
      ) : (
        <circle class="node" cx={x} cy={y} r={row.kind === 'prompt' ? 4.5 : 3.5} />
      )}
      <foreignObject x={x + 13} y={at * ROW_HEIGHT} height={ROW_HEIGHT} style={{ width: `calc(100% - ${x + 15}px)` }}>
        {/* A new element: chromium keeps the old style of an element in a foreignObject that was moved. */}
        <div key={`${row.isLeaf} ${row.isOnPath}`} class="tree-text">
          <span class="text">{row.text}</span>
          {row.label ? <span class="label">⚑ {row.label}</span> : null}
          {answers ? <span class="more">{answers}</span> : null}
        </div>
      </foreignObject>
    </g>
  );
}
