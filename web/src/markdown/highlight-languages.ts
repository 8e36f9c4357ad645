// The common languages of highlight.js. Loaded lazily: this is the largest part of the page.
import hljs from 'highlight.js/lib/common';
import type { CodeNode } from './highlight.ts';

/** The tree that highlight.js builds before it writes HTML. */
interface ScopeNode {
  readonly scope?: string;
  readonly children: readonly (string | ScopeNode)[];
}

export function highlight(code: string, language: string): readonly CodeNode[] | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  const { _emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  const { rootNode } = _emitter as unknown as { rootNode?: ScopeNode };
  return rootNode?.children.map(convert);
}

function convert(node: string | ScopeNode): CodeNode {
  if (typeof node === 'string') return node;
  return { scope: node.scope ?? '', children: node.children.map(convert) };
}
