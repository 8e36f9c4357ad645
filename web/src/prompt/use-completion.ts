// The state of the list of slash commands: what is found, what is selected, and the keys of the list.
import { useState } from 'preact/hooks';
import type { SlashCommandEntry } from '../../../src/protocol/index.ts';
import { completeCommand, findCommandPrefix } from './completion.ts';

export interface Completion {
  readonly found: readonly SlashCommandEntry[];
  readonly selected: number;
  /** The text of the editor has changed. */
  update(cursor: number): void;
  /** Inserts a command of the list. */
  complete(at: number): void;
  /** Returns true if the key belongs to the list. */
  handleKey(event: KeyboardEvent): boolean;
}

interface CompletionOptions {
  readonly text: string;
  readonly commands: readonly SlashCommandEntry[];
  readonly setText: (text: string) => void;
}

export function useCompletion({ text, commands, setText }: CompletionOptions): Completion {
  const [cursor, setCursor] = useState(0);
  const [selected, setSelected] = useState(0);
  const [isClosed, setIsClosed] = useState(false);
  const prefix = isClosed ? undefined : findCommandPrefix(text, cursor);
  const found = prefix === undefined ? [] : completeCommand(prefix, commands);
  const complete = (at: number) => {
    const name = found[at]?.name;
    if (name === undefined) return;
    setText(`/${name} ${text.replace(/^\/\S*\s?/, '')}`);
    setIsClosed(true);
  };
  /** The whole name is written: Enter sends it. */
  const isWritten = text.trim() === `/${found[selected]?.name}`;
  return {
    found,
    selected,
    complete,
    update(position) {
      setCursor(position);
      setIsClosed(false);
      setSelected(0);
    },
    handleKey({ key, shiftKey }) {
      const { length } = found;
      if (length === 0) return false;
      if (key === 'ArrowDown') setSelected((selected + 1) % length);
      else if (key === 'ArrowUp') setSelected((selected + length - 1) % length);
      else if (key === 'Tab' || (key === 'Enter' && !shiftKey && !isWritten)) complete(selected);
      else if (key === 'Escape') setIsClosed(true);
      else return false;
      return true;
    },
  };
}
