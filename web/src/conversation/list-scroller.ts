// The scroll position of a virtual list: measures rows, keeps the position when heights change, and stays at the end.
import { isTextField } from '../parts/is-text-field.ts';
import { RowGeometry } from './row-geometry.ts';

interface PositionedRow {
  readonly key: string;
  readonly index: number;
}

/** In pixels, above and below the visible part. */
const MARGIN = 800;
/** In pixels. Nearer to the end counts as the end. */
const END_DISTANCE = 40;

export interface ListLayout {
  readonly start: number;
  readonly end: number;
  /** Height of the rows that are not drawn. */
  readonly before: number;
  readonly after: number;
  readonly isAtEnd: boolean;
}

/** The row at the top of the visible part, and how far it is scrolled out. */
interface Anchor {
  readonly key: string | undefined;
  readonly index: number;
  readonly offset: number;
}

/** In milliseconds. What a part shows may have to be loaded first. */
const HOLD_MS = 1_000;

/** A button that was used to expand or collapse a part of a row. It stays where it is while the heights change. */
interface HeldButton {
  readonly element: Element;
  readonly top: number;
  readonly end: number;
}

export class ListScroller {
  #rows: readonly PositionedRow[] = [];
  #estimate: (row: PositionedRow) => number = () => 0;
  readonly #geometry = new RowGeometry((at) => this.#estimate(this.#rows[at] as PositionedRow));
  readonly #redraw: () => void;
  #element: HTMLElement | undefined;
  #observer: ResizeObserver | undefined;
  #generation: number | undefined;
  #top = 0;
  #height = 0;
  #width = 0;
  #isAtEnd = true;
  #drawnStart = 0;
  #drawnEnd = 0;
  #held: HeldButton | undefined;

  constructor(redraw: () => void) {
    this.#redraw = redraw;
  }

  setRows(rows: readonly PositionedRow[], estimate: (row: PositionedRow) => number, generation: number): void {
    this.#estimate = estimate;
    if (rows === this.#rows) return;
    const anchor = this.#findAnchor();
    this.#rows = rows;
    this.#geometry.setKeys(rows.map(({ key }) => key));
    if (generation !== this.#generation) {
      this.#generation = generation;
      this.#isAtEnd = true;
      return;
    }
    if (!this.#isAtEnd) this.#top = this.#findPosition(anchor);
  }

  layOut(): ListLayout {
    const geometry = this.#geometry;
    const top = this.#isAtEnd ? Math.max(0, geometry.total - this.#height) : this.#top;
    const { start, end } = geometry.findWindow(top, this.#height || 1000, MARGIN);
    this.#drawnStart = start;
    this.#drawnEnd = end;
    const after = geometry.total - geometry.getOffset(end);
    return { start, end, before: geometry.getOffset(start), after, isAtEnd: this.#isAtEnd };
  }

  /** Returns a function that detaches. */
  attach(element: HTMLElement): () => void {
    this.#element = element;
    this.#observer = new ResizeObserver((entries) => this.#measure(entries));
    this.#observer.observe(element);
    for (const row of element.querySelectorAll('.row')) this.#observer.observe(row);
    const onScroll = () => this.#handleScroll();
    const onKeyDown = (event: KeyboardEvent) => this.#handleKey(event);
    element.addEventListener('scroll', onScroll, { passive: true });
    const onClick = (event: MouseEvent) => this.#hold(event.target as Element);
    element.addEventListener('keydown', onKeyDown);
    // Before the button itself handles the click: then its position has changed.
    element.addEventListener('click', onClick, { capture: true });
    this.afterDraw();
    return () => {
      element.removeEventListener('click', onClick, { capture: true });
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('keydown', onKeyDown);
      this.#observer?.disconnect();
      this.#element = undefined;
    };
  }

  /** The `ref` of every row. Returns a function that is called when the row is removed. */
  readonly observe = (element: HTMLElement | null): (() => void) | undefined => {
    if (!element) return undefined;
    this.#observer?.observe(element);
    return () => this.#observer?.unobserve(element);
  };

  afterDraw(): void {
    const element = this.#element;
    if (!element) return;
    this.#setTop(this.#isAtEnd ? element.scrollHeight : this.#top);
  }

  scrollToEnd(): void {
    this.#held = undefined;
    this.#isAtEnd = true;
    this.#redraw();
  }

  scrollToStart(): void {
    this.#isAtEnd = false;
    this.#top = 0;
    this.#redraw();
  }

  /** Shows the first row of a message at the top. */
  scrollToIndex(index: number): void {
    const at = this.#rows.findIndex((row) => row.index >= index);
    this.#isAtEnd = at < 0;
    if (at >= 0) this.#top = this.#geometry.getOffset(at);
    this.#redraw();
  }

  #measure(entries: readonly ResizeObserverEntry[]): void {
    const anchor = this.#findAnchor();
    const heights: [string, number][] = [];
    let isResized = false;
    for (const { target, borderBoxSize, contentRect } of entries) {
      const key = (target as HTMLElement).dataset.key;
      if (target === this.#element) {
        isResized ||= this.#height !== target.clientHeight || this.#width !== contentRect.width;
        if (this.#width !== 0 && this.#width !== contentRect.width) this.#geometry.clearHeights();
        this.#height = target.clientHeight;
        this.#width = contentRect.width;
      } else if (key !== undefined && target.isConnected) heights.push([key, borderBoxSize[0]?.blockSize ?? 0]);
    }
    const isChanged = this.#geometry.setHeights(heights);
    if (!isChanged && !isResized) return;
    const wasAtEnd = this.#isAtEnd;
    const held = this.#findHeldPosition(entries);
    if (held !== undefined) {
      this.#setTop(held);
      this.#isAtEnd = this.#isNearEnd();
    } else {
      if (!this.#isAtEnd) this.#top = this.#findPosition(anchor);
      this.afterDraw();
    }
    // The heights of drawn rows do not change the space before and after them.
    if (isResized || wasAtEnd !== this.#isAtEnd || !this.#isCovered()) this.#redraw();
  }

  #hold(target: Element): void {
    const button = target.closest('[aria-expanded], .text-button');
    if (!button) return;
    this.#held = { element: button, top: button.getBoundingClientRect().top, end: performance.now() + HOLD_MS };
  }

  /** The scroll position at which the held button is where it was, if the height of its row has changed. */
  #findHeldPosition(entries: readonly ResizeObserverEntry[]): number | undefined {
    const held = this.#held;
    if (!held || !this.#element || performance.now() > held.end) return undefined;
    const isInRow = entries.some(({ target }) => target !== this.#element && target.contains(held.element));
    if (!isInRow) return undefined;
    return this.#element.scrollTop + held.element.getBoundingClientRect().top - held.top;
  }

  #isNearEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#element as HTMLElement;
    return scrollHeight - scrollTop - clientHeight < END_DISTANCE;
  }

  /** Whether the drawn rows fill the visible part and some more. */
  #isCovered(): boolean {
    const { start, end } = this.#geometry.findWindow(this.#top, this.#height, MARGIN / 2);
    return start >= this.#drawnStart && end <= this.#drawnEnd;
  }

  #setTop(top: number): void {
    const element = this.#element;
    if (!element) return;
    if (Math.abs(element.scrollTop - top) > 0.5) element.scrollTop = top;
    this.#top = element.scrollTop;
  }

  #handleScroll(): void {
    const element = this.#element;
    if (!element) return;
    const top = element.scrollTop;
    const wasAtEnd = this.#isAtEnd;
    if (Math.abs(top - this.#top) > 1) this.#held = undefined;
    if (this.#isNearEnd()) this.#isAtEnd = true;
    // Content that was added below does not move the user away from the end; scrolling up does.
    else if (top < this.#top - 1 || !wasAtEnd) this.#isAtEnd = false;
    this.#top = top;
    if (wasAtEnd !== this.#isAtEnd || !this.#isCovered()) this.#redraw();
  }

  /** Jumps to the ends. The animation of the browser would stop when a height that becomes known on its way changes the position. */
  #handleKey(event: KeyboardEvent): void {
    const element = this.#element;
    if (!element || event.defaultPrevented || event.shiftKey || event.altKey) return;
    const isStart = event.key === 'Home' || (event.metaKey && event.key === 'ArrowUp');
    const isEnd = event.key === 'End' || (event.metaKey && event.key === 'ArrowDown');
    if ((!isStart && !isEnd) || !isScrolledFrom(event.target, element)) return;
    event.preventDefault();
    if (isStart) this.scrollToStart();
    else this.scrollToEnd();
  }

  #findAnchor(): Anchor {
    const at = this.#geometry.findRow(this.#top);
    return {
      key: this.#geometry.getKey(at),
      index: this.#rows[at]?.index ?? 0,
      offset: this.#top - this.#geometry.getOffset(at),
    };
  }

  #findPosition({ key, index, offset }: Anchor): number {
    let at = key === undefined ? -1 : this.#rows.findIndex((row) => row.key === key);
    if (at < 0) at = this.#rows.findIndex((row) => row.index >= index);
    return at < 0 ? this.#top : this.#geometry.getOffset(at) + offset;
  }
}

/** Whether a key that is pressed in an element scrolls the list, and not a text field or an area inside the list. */
function isScrolledFrom(target: EventTarget | null, list: HTMLElement): boolean {
  if (isTextField(target)) return false;
  for (let node = target as HTMLElement | null; node; node = node.parentElement) {
    const canScroll =
      node.scrollHeight > node.clientHeight && ['auto', 'scroll'].includes(getComputedStyle(node).overflowY);
    if (canScroll || node === list) return canScroll && node === list;
  }
  return false;
}
