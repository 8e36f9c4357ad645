// Input history of a project, newest last, in a file with mode 0600.
import type { Files } from '../../contracts/index.ts';

export interface HistoryFile {
  readonly files: Pick<Files, 'read' | 'replace' | 'makeDirectory'>;
  /** Undefined when the history is not saved. */
  readonly path: string | undefined;
  readonly directory: string;
}

export interface HistoryMatch {
  readonly text: string;
  readonly index: number;
}

const MAX_ENTRIES = 500;
/** Longer inputs are kept in memory only, to limit the size of the file. */
const MAX_ENTRY_LENGTH = 20_000;

export class InputHistory {
  readonly #file: HistoryFile;
  #texts: string[] = [];
  /** Index of the entry that is shown; equal to the length when the draft is shown. */
  #position = 0;
  #unsentDraft = '';
  #writing = Promise.resolve();

  constructor(file: HistoryFile) {
    this.#file = file;
  }

  async load(): Promise<void> {
    this.#texts = await this.#read();
    this.#position = this.#texts.length;
  }

  /** Rejects when the file cannot be written; the entry stays in memory. Blank text is not recorded. */
  add(text: string): Promise<void> {
    if (text.trim() === '') return Promise.resolve();
    if (this.#texts.at(-1) !== text) this.#texts.push(text);
    this.#position = this.#texts.length;
    this.#unsentDraft = '';
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write(text));
    return this.#writing;
  }

  /** Moves to the previous or next entry. `draft` is the current input. */
  move(by: -1 | 1, draft: string): string | undefined {
    const at = this.#position + by;
    if (at < 0 || at > this.#texts.length) return undefined;
    if (this.#position === this.#texts.length) this.#unsentDraft = draft;
    this.#position = at;
    return this.#texts[at] ?? this.#unsentDraft;
  }

  /** Finds the nearest entry that contains `query`, ignoring case, starting at `from` (default: newest). Skips duplicates of `shown`. */
  find(query: string, from = this.#texts.length - 1, by: -1 | 1 = -1, shown?: HistoryMatch): HistoryMatch | undefined {
    const lowerCaseQuery = query.toLowerCase();
    for (let at = from; at >= 0 && at < this.#texts.length; at += by) {
      const text = this.#texts[at] ?? '';
      const isDuplicate = at !== shown?.index && text === shown?.text;
      if (!isDuplicate && text.toLowerCase().includes(lowerCaseQuery)) return { text, index: at };
    }
    return undefined;
  }

  /** Moves to an entry found by search. `draft` is the input from before the search. */
  moveTo(at: number, draft: string): void {
    if (this.#position === this.#texts.length) this.#unsentDraft = draft;
    this.#position = at;
  }

  async #read(): Promise<string[]> {
    const { files, path } = this.#file;
    if (path === undefined) return [];
    const bytes = await files.read(path).catch(() => new Uint8Array());
    return new TextDecoder().decode(bytes).split('\n').flatMap(parseEntry).slice(-MAX_ENTRIES);
  }

  /** Rereads the file first, to retain entries that another terminal has added. */
  async #write(text: string): Promise<void> {
    const { files, path, directory } = this.#file;
    if (path === undefined || text.length > MAX_ENTRY_LENGTH) return;
    const savedTexts = await this.#read();
    if (savedTexts.at(-1) === text) return;
    const lines = [...savedTexts, text].slice(-MAX_ENTRIES).map((entry) => `${JSON.stringify(entry)}\n`);
    await files.makeDirectory(directory, { mode: 0o700 });
    await files.replace(path, new TextEncoder().encode(lines.join('')), { mode: 0o600 });
  }
}

function parseEntry(line: string): string[] {
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === 'string' ? [text] : [];
  } catch {
    // Skip damaged lines.
    return [];
  }
}
