// The messages as the user wrote them. The agent adds mentioned files to a message, so a queued text can be longer than what was written.

const MAX_MESSAGES = 50;

export class SentMessages {
  #texts: string[] = [];

  add(text: string): void {
    this.#texts = [...this.#texts, text].slice(-MAX_MESSAGES);
  }

  /** What the user wrote for a queued text; the text itself if that is not known. */
  findOriginal(queued: string): string {
    return this.#texts.findLast((text) => queued.startsWith(`${text}\n\n<file name="`)) ?? queued;
  }
}
