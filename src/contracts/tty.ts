// Ground floor: a terminal with a person in front of it, as far as a conversation needs one. Nothing here knows what is shown.

export interface TtyEars {
  /** What was typed, as it comes: letters, and the sequences of keys that are none. */
  typed(bytes: Uint8Array): void;
  resized(): void;
  /** Somebody interrupts from outside, or by a key where keys come a line at a time. */
  interrupted(): void;
  /** The program was put into the foreground again. */
  resumed(): void;
  /** Nobody is there any more. */
  gone(): void;
}

export interface Tty {
  readonly columns: number;
  readonly rows: number;
  /** Never returns before the text has left. */
  write(text: string): void;
  /**
   * Takes the terminal: with `raw`, keys come one by one. However the process ends, the terminal is what it was before,
   * and `farewell` is the last that it was sent.
   */
  take(ears: TtyEars, options: { raw: boolean; farewell: string }): void;
  /** Gives the terminal back. Nothing is heard from then on. */
  release(): void;
  /** Lets another program have the terminal as it was before it was taken, and takes it again afterwards; `resumed` is heard then. */
  lend<T>(to: () => Promise<T>): Promise<T>;
  /**
   * Stops the whole program until its shell lets it go on; `resumed` is heard then. The terminal is given back meanwhile.
   * Where no shell could do that, nothing is stopped, and `resumed` is heard at once.
   */
  suspend(): void;
}
