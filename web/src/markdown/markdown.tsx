// Markdown of a message: a chunk of a long text, or a whole short text.
import { useMemo, useRef } from 'preact/hooks';
import { type MarkdownChunk, MarkdownStream } from './markdown-stream.ts';
import { renderChunk } from './render-tokens.tsx';

interface ChunkProps {
  readonly chunk: MarkdownChunk;
  readonly isStreaming: boolean;
}

/** Drawn again only when the chunk has changed. */
export function MarkdownText({ chunk, isStreaming }: ChunkProps) {
  const isOpen = chunk.isOpen && isStreaming;
  const blocks = useMemo(
    () => renderChunk(chunk.tokens, { isContinuation: chunk.isContinuation, isOpen }),
    [chunk, isOpen],
  );
  return <div class={`prose ${isStreaming ? 'streaming' : ''}`}>{blocks}</div>;
}

/** For texts outside of the list of rows, such as prompts and summaries. */
export function Markdown({ text }: { readonly text: string }) {
  const stream = useRef(new MarkdownStream());
  const chunks = stream.current.update(text);
  return (
    <>
      {chunks.map((chunk) => (
        <MarkdownText key={chunk.id} chunk={chunk} isStreaming={false} />
      ))}
    </>
  );
}
