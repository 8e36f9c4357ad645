// The text output of a tool: long outputs show their beginning or their end until they are expanded.
import { Code } from '../markdown/code-block.tsx';
import { formatCount } from '../parts/format.ts';
import { useExpanded } from './conversation-context.ts';

interface OutputTextProps {
  readonly id: string;
  readonly text: string;
  readonly language?: string;
  /** Show the end: the output of a running command. */
  readonly showsEnd?: boolean;
  readonly maxLines?: number;
}

export function OutputText({ id, text, language = '', showsEnd = false, maxLines = 12 }: OutputTextProps) {
  const [isExpanded, setIsExpanded] = useExpanded(`${id}.output`, false);
  const lines = text.replace(/\n+$/, '').split('\n');
  const isLong = lines.length > maxLines + 3;
  const shown = isLong && !isExpanded ? (showsEnd ? lines.slice(-maxLines) : lines.slice(0, maxLines)) : lines;
  if (text === '') return null;
  return (
    <div class="output">
      <pre tabIndex={0}>
        <Code code={shown.join('\n')} language={language} />
      </pre>
      {isLong ? (
        <button type="button" class="text-button" aria-expanded={isExpanded} onClick={() => setIsExpanded(!isExpanded)}>
          {isExpanded ? 'Show less' : `Show all ${formatCount(lines.length, 'line')}`}
        </button>
      ) : null}
    </div>
  );
}
