// The hall, terminal: a terminal that can only be written on, such as one inside of an editor (TERM=dumb). Nothing is drawn
// twice; what is finished is printed, and a prompt where an answer is expected.
import { plain } from '../base/plain.ts';
import type { Tty } from '../contracts/tty.ts';
import type { Live, Screen } from './screen.ts';
import type { Line } from './text/line.ts';
import { paint } from './text/paint.ts';

const PROMPT = '> ';

export class PlainScreen implements Screen {
  readonly #tty: Tty;
  #pending: Line[] = [];
  #question: unknown;
  #isPrompted = false;
  #isAway = false;
  #draft = '';

  constructor(tty: Tty) {
    this.#tty = tty;
  }

  get columns(): number {
    return Math.max(4, this.#tty.columns - 1);
  }

  /** Questions are printed once and scroll, so they may be as long as they are. */
  get rows(): number {
    return Number.MAX_SAFE_INTEGER;
  }

  print(lines: readonly Line[]): void {
    this.#pending.push(...lines);
  }

  draw({ question, isIdle, draft = '' }: Live): void {
    if (this.#isAway) return;
    if (question && question.key !== this.#question) this.#pending.push(...question.lines);
    const asks = question !== undefined && question.key !== this.#question;
    this.#question = question?.key;
    const lines = this.#pending.splice(0);
    const text = lines.map((spans) => `${paint(spans, 'nothing')}\n`).join('');
    // What was put into the draft, and not typed, is seen nowhere else.
    const isPut = draft !== '' && draft !== this.#draft;
    this.#draft = draft;
    const breaks = this.#isPrompted && (text !== '' || isPut) ? '\n' : '';
    if (text !== '' || isPut) this.#isPrompted = false;
    const prompts = asks || ((isIdle || isPut) && !this.#isPrompted);
    if (prompts) this.#isPrompted = true;
    this.#tty.write(`${breaks}${text}${prompts ? `${PROMPT}${plain(draft)}` : ''}`);
  }

  /** A whole line, which uses the prompt up. */
  typed(): void {
    this.#isPrompted = false;
  }

  resized(): void {}

  clear(): void {}

  restart(): void {
    this.#isAway = false;
    this.#isPrompted = false;
  }

  title(): void {}

  leave(): void {
    if (this.#isAway) return;
    this.draw({ lines: [], isIdle: false });
    if (this.#isPrompted) this.#tty.write('\n');
    this.#isAway = true;
  }
}
