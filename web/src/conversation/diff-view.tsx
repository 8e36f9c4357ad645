// A change of a file: two columns, or one column where the page is narrow.
import { useMemo } from 'preact/hooks';
import { useMediaQuery } from '../parts/use-media-query.ts';
import { useExpanded } from './conversation-context.ts';
import { type DiffLine, type DiffPair, findDifference, pairLines, parseDiff } from './numbered-diff.ts';

interface DiffViewProps {
  readonly id: string;
  readonly diff: string;
  /** One column even if the page is wide. */
  readonly isNarrow?: boolean;
}

/** More rows are shown on request. */
const MAX_ROWS = 60;

export function DiffView({ id, diff, isNarrow = false }: DiffViewProps) {
  const isSmall = useMediaQuery('(max-width: 940px)');
  const [isExpanded, setIsExpanded] = useExpanded(`${id}.diff`, false);
  const lines = useMemo(() => parseDiff(diff), [diff]);
  const pairs = useMemo(() => pairLines(lines), [lines]);
  const isUnified = isSmall || isNarrow;
  const count = isUnified ? lines.length : pairs.length;
  const limit = isExpanded || count <= MAX_ROWS + 10 ? count : MAX_ROWS;
  return (
    <div class="diff">
      {isUnified ? <UnifiedDiff lines={lines.slice(0, limit)} /> : <SplitDiff pairs={pairs.slice(0, limit)} />}
      {limit < count ? (
        <button type="button" class="text-button" onClick={() => setIsExpanded(true)}>
          Show {count - limit} more lines
        </button>
      ) : null}
    </div>
  );
}

function SplitDiff({ pairs }: { readonly pairs: readonly DiffPair[] }) {
  return (
    <table class="diff-table split" aria-label="Change, old lines left, new lines right">
      <colgroup>
        <col class="number" />
        <col />
        <col class="number" />
        <col />
      </colgroup>
      <tbody>
        {pairs.map((pair, at) => (
          <tr key={at}>{renderPair(pair)}</tr>
        ))}
      </tbody>
    </table>
  );
}

function renderPair(pair: DiffPair) {
  if (pair.kind === 'skipped') return <SkippedLines columns={4} />;
  if (pair.kind === 'same') {
    const { oldNumber, newNumber, text } = pair.line;
    return (
      <>
        <td class="number">{oldNumber}</td>
        <td class="text">{text}</td>
        <td class="number">{newNumber}</td>
        <td class="text">{text}</td>
      </>
    );
  }
  const { removed, added } = pair;
  return (
    <>
      <td class={`number ${removed ? 'removed' : 'empty'}`}>{removed?.oldNumber}</td>
      <td class={`text ${removed ? 'removed' : 'empty'}`}>{removed ? markChange(removed.text, added?.text) : null}</td>
      <td class={`number ${added ? 'added' : 'empty'}`}>{added?.newNumber}</td>
      <td class={`text ${added ? 'added' : 'empty'}`}>{added ? markChange(added.text, removed?.text) : null}</td>
    </>
  );
}

function SkippedLines({ columns }: { readonly columns: number }) {
  return (
    <td class="skipped" colSpan={columns}>
      ⋯
    </td>
  );
}

function UnifiedDiff({ lines }: { readonly lines: readonly DiffLine[] }) {
  return (
    <table class="diff-table unified" aria-label="Change">
      <colgroup>
        <col class="number" />
        <col />
      </colgroup>
      <tbody>
        {lines.map((line, at) => (
          <tr key={at}>{line.kind === 'skipped' ? <SkippedLines columns={2} /> : <UnifiedLine line={line} />}</tr>
        ))}
      </tbody>
    </table>
  );
}

function UnifiedLine({ line }: { readonly line: Exclude<DiffLine, { kind: 'skipped' }> }) {
  const sign = line.kind === 'added' ? '+' : line.kind === 'removed' ? '−' : ' ';
  return (
    <>
      <td class={`number ${line.kind}`}>{line.kind === 'removed' ? line.oldNumber : line.newNumber}</td>
      <td class={`text ${line.kind}`}>
        <span class="sign">{sign}</span>
        {line.text}
      </td>
    </>
  );
}

/** Emphasizes the part of a changed line that differs. */
function markChange(text: string, other: string | undefined) {
  const part = other === undefined ? undefined : findDifference(text, other);
  if (!part || part.start === part.end) return text;
  return (
    <>
      {text.slice(0, part.start)}
      <mark>{text.slice(part.start, part.end)}</mark>
      {text.slice(part.end)}
    </>
  );
}
