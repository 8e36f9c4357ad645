// A list of rows with different heights that draws only the visible ones. Stays at the bottom until the user scrolls up.
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { ListScroller } from './list-scroller.ts';

export interface ListRow {
  readonly key: string;
  /** Rows with the same index belong together: the position is kept by it when a row is replaced. */
  readonly index: number;
}

interface VirtualListProps<R extends ListRow> {
  readonly rows: readonly R[];
  /** Changes when the rows are those of another list. */
  readonly generation: number;
  readonly label: string;
  readonly estimateHeight: (row: R) => number;
  readonly renderRow: (row: R) => ComponentChildren;
  /** Called with the rows that are drawn, when scrolling has paused. */
  readonly onDrawn?: (rows: readonly R[]) => void;
  readonly class?: string;
  /** Access for the caller: `scrollToEnd`. */
  readonly handle?: RefObject<ListScroller | null>;
}

export function VirtualList<R extends ListRow>(props: VirtualListProps<R>) {
  const { rows, generation, label, estimateHeight, renderRow, onDrawn, class: className = '', handle } = props;
  const [, redraw] = useState(0);
  const element = useRef<HTMLDivElement>(null);
  const scroller = useMemo(() => new ListScroller(() => redraw((count) => count + 1)), []);
  scroller.setRows(rows, estimateHeight as (row: ListRow) => number, generation);
  if (handle) handle.current = scroller;
  useLayoutEffect(() => {
    if (!element.current) return;
    return scroller.attach(element.current);
  }, []);
  useLayoutEffect(() => scroller.afterDraw());
  useDrawnRows(scroller, rows, onDrawn);
  const { start, end, before, after, isAtEnd } = scroller.layOut();
  return (
    <div class={`virtual-list ${className}`}>
      <div class="scroller" ref={element} role="log" aria-live="off" aria-label={label} tabIndex={0}>
        <div style={{ height: `${before}px` }} />
        {rows.slice(start, end).map((row) => (
          <div key={row.key} data-key={row.key} class="row" ref={scroller.observe}>
            {renderRow(row)}
          </div>
        ))}
        <div style={{ height: `${after}px` }} />
      </div>
      {isAtEnd ? null : (
        <button type="button" class="to-end" onClick={() => scroller.scrollToEnd()}>
          <Icon name="down" size={14} /> Latest
        </button>
      )}
    </div>
  );
}

const DRAWN_DELAY_MS = 60;

function useDrawnRows<R extends ListRow>(
  scroller: ListScroller,
  rows: readonly R[],
  onDrawn: ((rows: readonly R[]) => void) | undefined,
): void {
  const { start, end } = scroller.layOut();
  useLayoutEffect(() => {
    if (!onDrawn) return;
    const timer = setTimeout(() => onDrawn(rows.slice(start, end)), DRAWN_DELAY_MS);
    return () => clearTimeout(timer);
  }, [rows, start, end, onDrawn]);
}
