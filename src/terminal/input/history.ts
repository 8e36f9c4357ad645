// The hall, terminal: what was said in this project before, newest last. Kept in a file that only its owner can read.
import type { Files } from '../../contracts/index.ts';

export interface HistoryPlace {
  readonly files: Pick<Files, 'read' | 'replace' | 'makeDirectory'>;
  /** Absent where nothing is to be written. */
  readonly path: string | undefined;
  readonly folder: string;
}

export interface Found {
  readonly text: string;
  readonly at: number;
}

const MOST = 500;
/** Nobody wants a pasted book back, and everybody a small file. */
const LONGEST = 20_000;

export class History {
  readonly #place: HistoryPlace;
  #texts: string[] = [];
  /** Where one is on the way back; the length when one is not. */
  #at = 0;
  #unsaid = '';
  #writing = Promise.resolve();

  constructor(place: HistoryPlace) {
    this.#place = place;
  }

  async load(): Promise<void> {
    this.#texts = await this.#read();
    this.#at = this.#texts.length;
  }

  /** Rejects when it cannot be written; it is remembered until the end of the program anyway. */
  add(text: string): Promise<void> {
    if (this.#texts.at(-1) !== text && text.length <= LONGEST) this.#texts.push(text);
    this.#at = this.#texts.length;
    this.#unsaid = '';
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write(text));
    return this.#writing;
  }

  /** The text before or after the one that is shown; `draft` is what stands there now. */
  move(by: -1 | 1, draft: string): string | undefined {
    const at = this.#at + by;
    if (at < 0 || at > this.#texts.length) return undefined;
    if (this.#at === this.#texts.length) this.#unsaid = draft;
    this.#at = at;
    return this.#texts[at] ?? this.#unsaid;
  }

  /** The nearest text with these words, in whichever case, from this place on; at first from the newest. Not once more what is shown. */
  find(words: string, from = this.#texts.length - 1, by: -1 | 1 = -1, shown?: Found): Found | undefined {
    const wanted = words.toLowerCase();
    for (let at = from; at >= 0 && at < this.#texts.length; at += by) {
      const text = this.#texts[at] ?? '';
      const isShown = at !== shown?.at && text === shown?.text;
      if (!isShown && text.toLowerCase().includes(wanted)) return { text, at };
    }
    return undefined;
  }

  /** As if one had come there step by step; `draft` is what stood there when one began. */
  goTo(at: number, draft: string): void {
    if (this.#at === this.#texts.length) this.#unsaid = draft;
    this.#at = at;
  }

  async #read(): Promise<string[]> {
    const { files, path } = this.#place;
    if (path === undefined) return [];
    const bytes = await files.read(path).catch(() => new Uint8Array());
    return new TextDecoder().decode(bytes).split('\n').flatMap(textIn).slice(-MOST);
  }

  /** What others have written meanwhile, in a second terminal, stays. */
  async #write(text: string): Promise<void> {
    const { files, path, folder } = this.#place;
    if (path === undefined || text.length > LONGEST) return;
    const there = await this.#read();
    if (there.at(-1) === text) return;
    const lines = [...there, text].slice(-MOST).map((one) => `${JSON.stringify(one)}\n`);
    await files.makeDirectory(folder, { mode: 0o700 });
    await files.replace(path, new TextEncoder().encode(lines.join('')), { mode: 0o600 });
  }
}

function textIn(line: string): string[] {
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === 'string' ? [text] : [];
  } catch {
    // A line that somebody else damaged is no reason to forget the others.
    return [];
  }
}
