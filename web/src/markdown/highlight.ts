// Highlights code with highlight.js, which is loaded when the first code is shown. The result is a tree, never HTML.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

/** A text, or a part of the code with the names of its scope. */
export type CodeNode = string | { readonly scope: string; readonly children: readonly CodeNode[] };

type Highlighter = (code: string, language: string) => readonly CodeNode[] | undefined;

/** `undefined` until the highlighter is loaded. */
const highlighter = signal<Highlighter | undefined>(undefined);
let isLoading = false;

/** In characters. For some texts the patterns take quadratic time. */
const MAX_CODE_LENGTH = 30_000;
const MAX_CACHED = 400;
const cache = new Map<string, readonly CodeNode[] | undefined>();

/** The code with colours, as soon as the browser is idle: colours must not delay text that is being streamed. */
export function useHighlighted(code: string, language: string): readonly CodeNode[] | undefined {
  const [, redraw] = useState(0);
  const canHighlight = language !== '' && code.length <= MAX_CODE_LENGTH;
  const highlight = highlighter.value;
  const key = `${language}\n${code}`;
  useEffect(() => {
    if (!canHighlight || cache.has(key)) return;
    return whenIdle(() => {
      if (!highlight) void load();
      else addToCache(key, highlight(code, language));
      redraw((count) => count + 1);
    });
  }, [key, canHighlight, highlight]);
  return canHighlight ? cache.get(key) : undefined;
}

function addToCache(key: string, nodes: readonly CodeNode[] | undefined): void {
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  cache.set(key, nodes);
}

/** Returns a function that cancels. Some browsers have no idle callback. */
function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(run);
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(run, 100);
  return () => clearTimeout(timer);
}

async function load(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  const { highlight } = await import('./highlight-languages.ts');
  highlighter.value = highlight;
}

/** The extension of a file, which the highlighter knows as a name of a language. */
export function getLanguage(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : name.toLowerCase();
}
