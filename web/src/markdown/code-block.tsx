// A block of code with its language, a button to copy it, and colours when the highlighter is loaded.
import { CopyButton } from '../parts/button.tsx';
import { type CodeNode, useHighlighted } from './highlight.ts';

interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  /** The code may still grow: it is highlighted when it is complete. */
  readonly isOpen?: boolean;
  readonly isContinuation?: boolean;
}

export function CodeBlock({ code, language, isOpen = false, isContinuation = false }: CodeBlockProps) {
  return (
    <div class={`code-block ${isContinuation ? 'continued' : ''}`}>
      {isContinuation ? null : (
        <div class="code-head">
          <span>{language || 'text'}</span>
          <CopyButton getText={() => code} label="Copy code" />
        </div>
      )}
      <pre tabIndex={0}>
        <Code code={code} language={isOpen ? '' : language} />
      </pre>
    </div>
  );
}

export function Code({ code, language }: { readonly code: string; readonly language: string }) {
  const nodes = useHighlighted(code, language.toLowerCase());
  return <code>{nodes ? nodes.map(renderNode) : code}</code>;
}

function renderNode(node: CodeNode, at: number) {
  if (typeof node === 'string') return node;
  return (
    <span key={at} class={toClassName(node.scope)}>
      {node.children.map(renderNode)}
    </span>
  );
}

/** `title.function` is written as two classes, as highlight.js does in HTML. */
function toClassName(scope: string): string {
  const [first = '', ...rest] = scope.replace(/^language:/, '').split('.');
  return [`hl-${first}`, ...rest.map((part) => `hl-${part}`)].join(' ');
}
