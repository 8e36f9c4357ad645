// The frames inspector: all frames of this connection, with a filter, and buttons to copy them.
import { useMemo, useState } from 'preact/hooks';
import { BASE_URL } from '../app/http-api.ts';
import type { SessionStore } from '../app/session-store.ts';
import { VirtualList } from '../conversation/virtual-list.tsx';
import { toCurl, toTranscript } from '../frames/copy-frames.ts';
import { type FrameFilter, filterFrames, type LoggedFrame, listTypes } from '../frames/frame-log.ts';
import { Code } from '../markdown/code-block.tsx';
import { CopyButton, IconButton } from '../parts/button.tsx';
import { formatBytes, formatCount } from '../parts/format.ts';

const ROW_HEIGHT = 26;
const MAX_SHOWN = 20_000;

export function FramesPanel({ store }: { readonly store: SessionStore }) {
  const [filter, setFilter] = useState<FrameFilter>({ text: '', direction: 'all', type: '' });
  const [paused, setPaused] = useState<readonly LoggedFrame[] | undefined>(undefined);
  const [selected, setSelected] = useState<LoggedFrame | undefined>(undefined);
  const version = store.logVersion.value;
  const frames = paused ?? store.log.frames;
  const shown = useMemo(() => filterFrames(frames, filter), [frames, filter, paused ? 0 : version]);
  const rows = useMemo(
    () => shown.map((frame) => ({ key: `f${frame.id}`, index: frame.id, frame })),
    [shown, shown.length],
  );
  return (
    <div class="frames">
      <FrameFilters filter={filter} onChange={setFilter} types={listTypes(frames)} />
      <div class="frame-tools">
        <IconButton
          icon={paused ? 'play' : 'pause'}
          label={paused ? 'Continue' : 'Pause'}
          isPressed={paused !== undefined}
          onClick={() => setPaused(paused ? undefined : [...store.log.frames])}
        />
        <IconButton icon="trash" label="Clear" onClick={() => clearLog(store, () => setPaused(undefined))} />
        <span class="quiet">{formatCount(shown.length, 'frame')}</span>
        <span class="spacer" />
        <CopyButton getText={() => toTranscript(shown)} label="Copy the shown frames as a transcript">
          Transcript
        </CopyButton>
      </div>
      <div class="frame-list" role="group" aria-label="Received and sent frames" onKeyDown={moveInList}>
        <VirtualList
          rows={rows}
          generation={paused ? 1 : 0}
          label="Frames, arrow keys choose one"
          estimateHeight={() => ROW_HEIGHT}
          renderRow={({ frame }) => (
            <FrameRow frame={frame} isSelected={frame.id === selected?.id} onSelect={() => setSelected(frame)} />
          )}
        />
      </div>
      {selected ? <FrameDetails store={store} frame={selected} onClose={() => setSelected(undefined)} /> : null}
    </div>
  );
}

/** The rows are no stops of the Tab key, because there may be thousands. */
function moveInList(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const rows = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('.frame-row')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (rows.find((row) => row.ariaPressed === 'true') ?? rows.at(-1)) : rows[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function clearLog(store: SessionStore, onCleared: () => void): void {
  store.log.clear();
  store.logVersion.value += 1;
  onCleared();
}

interface FrameFiltersProps {
  readonly filter: FrameFilter;
  readonly types: readonly string[];
  readonly onChange: (filter: FrameFilter) => void;
}

function FrameFilters({ filter, types, onChange }: FrameFiltersProps) {
  return (
    <div class="frame-filters">
      <input
        type="search"
        class="field"
        placeholder="Filter by text"
        aria-label="Filter frames by text"
        value={filter.text}
        onInput={(event) => onChange({ ...filter, text: event.currentTarget.value })}
      />
      <label class="select">
        <span class="visually-hidden">Direction</span>
        <select
          value={filter.direction}
          onChange={(event) =>
            onChange({ ...filter, direction: event.currentTarget.value as FrameFilter['direction'] })
          }
        >
          <option value="all">in and out</option>
          <option value="in">in</option>
          <option value="out">out</option>
        </select>
      </label>
      <label class="select">
        <span class="visually-hidden">Type</span>
        <select value={filter.type} onChange={(event) => onChange({ ...filter, type: event.currentTarget.value })}>
          <option value="">all types</option>
          {types.map((type) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The beginning of most frames. The type is shown in its own column. */
const KNOWN_FIELDS = /^\{(?:"(?:seq|firstSeq|client|type|id)":(?:"[^"]*"|\d+),?)+/;

interface FrameRowProps {
  readonly frame: LoggedFrame;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function FrameRow({ frame: { direction, type, text }, isSelected, onSelect }: FrameRowProps) {
  return (
    <button type="button" class={`frame-row ${direction}`} tabIndex={-1} aria-pressed={isSelected} onClick={onSelect}>
      <span class="direction" role="img" aria-label={direction === 'in' ? 'received' : 'sent'}>
        {direction === 'in' ? '↓' : '↑'}
      </span>
      <span class="frame-type">{type}</span>
      <span class="frame-text">{text.slice(0, 400).replace(KNOWN_FIELDS, '{')}</span>
    </button>
  );
}

interface FrameDetailsProps {
  readonly store: SessionStore;
  readonly frame: LoggedFrame;
  readonly onClose: () => void;
}

function FrameDetails({ store, frame, onClose }: FrameDetailsProps) {
  const { sessionId } = store.view.value;
  const pretty = useMemo(() => JSON.stringify(JSON.parse(frame.text), null, 2), [frame]);
  const address = { origin: BASE_URL.href.replace(/\/$/, ''), sessionId };
  const time = new Date(frame.time).toISOString().slice(11, 23);
  return (
    <section class="frame-details" aria-label="Selected frame">
      <header>
        <strong>{frame.type}</strong>
        <span class="quiet">
          {time} · {formatBytes(frame.text.length)}
        </span>
        <IconButton icon="close" label="Close the frame" onClick={onClose} />
      </header>
      <div class="frame-tools">
        <CopyButton getText={() => frame.text} label="Copy the frame as JSON">
          JSON
        </CopyButton>
        <CopyButton getText={() => toCurl(frame, address)} label="Copy as a curl command">
          curl
        </CopyButton>
        <CopyButton getText={() => toTranscript([frame])} label="Copy the frame as a transcript">
          Transcript
        </CopyButton>
      </div>
      <pre tabIndex={0}>
        <Code code={pretty.slice(0, MAX_SHOWN)} language="json" />
        {pretty.length > MAX_SHOWN ? '\n…' : ''}
      </pre>
    </section>
  );
}
