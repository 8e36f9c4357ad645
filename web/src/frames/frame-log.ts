// The frames that this page has sent and received, for people who write hosts. The oldest are forgotten.

export interface LoggedFrame {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly direction: 'in' | 'out';
  /** The type of the frame, and for a stream of deltas the kind of the delta. */
  readonly type: string;
  readonly seq: number | undefined;
  readonly text: string;
}

const MAX_FRAMES = 5_000;
const MAX_CHARACTERS = 12_000_000;

export class FrameLog {
  #frames: LoggedFrame[] = [];
  #count = 0;
  #characters = 0;

  /** Oldest first. Frames are added to this array; it is replaced when the oldest are removed. */
  get frames(): readonly LoggedFrame[] {
    return this.#frames;
  }

  get count(): number {
    return this.#count;
  }

  add(direction: 'in' | 'out', frame: object, text: string, time: number): void {
    this.#count++;
    const { type, seq } = frame as { type?: unknown; seq?: number };
    this.#frames.push({ id: this.#count, time, direction, type: describeType(type, frame), seq, text });
    this.#characters += text.length;
    if (this.#frames.length > MAX_FRAMES * 1.1 || this.#characters > MAX_CHARACTERS) this.#forgetOldest();
  }

  clear(): void {
    this.#frames = [];
    this.#characters = 0;
  }

  #forgetOldest(): void {
    let from = Math.max(0, this.#frames.length - MAX_FRAMES);
    for (let at = 0; at < from; at++) this.#characters -= this.#frames[at]?.text.length ?? 0;
    for (; this.#characters > MAX_CHARACTERS * 0.9 && from < this.#frames.length - 1; from++) {
      this.#characters -= this.#frames[from]?.text.length ?? 0;
    }
    this.#frames = this.#frames.slice(from);
  }
}

function describeType(type: unknown, frame: object): string {
  const name = typeof type === 'string' ? type : '?';
  const { assistantMessageEvent, command, method } = frame as {
    assistantMessageEvent?: { type?: string };
    command?: string;
    method?: string;
  };
  const inner = assistantMessageEvent?.type ?? (name === 'response' ? command : method);
  return inner ? `${name} · ${inner}` : name;
}

export interface FrameFilter {
  readonly text: string;
  readonly direction: 'all' | 'in' | 'out';
  /** The beginning of the type; empty for all. */
  readonly type: string;
}

export function filterFrames(frames: readonly LoggedFrame[], filter: FrameFilter): readonly LoggedFrame[] {
  const { direction, type } = filter;
  const text = filter.text.trim().toLowerCase();
  if (direction === 'all' && type === '' && text === '') return frames;
  return frames.filter(
    (frame) =>
      (direction === 'all' || frame.direction === direction) &&
      (type === '' || frame.type === type || frame.type.startsWith(`${type} · `)) &&
      (text === '' || frame.text.toLowerCase().includes(text)),
  );
}

/** The types without the part after the dot, sorted. */
export function listTypes(frames: readonly LoggedFrame[]): string[] {
  return [...new Set(frames.map(({ type }) => type.split(' · ', 1)[0] ?? ''))].sort();
}
