// First floor, core: what a subagent said at the end: whole in a file, bounded in the result.
import { messageOf } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import type { SubagentResult } from '../../protocol/index.ts';

const MOST_CHARACTERS = 500_000;
const MOST_LINES = 5000;

type Kept = Pick<SubagentResult, 'output' | 'truncated'> & Pick<SubagentResult, 'outputPath' | 'outputMeta'>;

/** Never rejects: an answer whose file cannot be written is still in the result. */
export async function kept({ files, log }: Ports, folder: string, id: string, text: string): Promise<Kept> {
  if (text === '') return { output: '', truncated: false };
  const outputPath = `${folder}/${id}.md`;
  const isWritten = await files.write(outputPath, new TextEncoder().encode(text), { mode: 0o600 }).then(
    () => true,
    (thrown) => {
      log('output of a subagent not written', { path: outputPath, error: messageOf(thrown) });
      return false;
    },
  );
  const lines = text.split('\n');
  const output = lines.slice(0, MOST_LINES).join('\n').slice(0, MOST_CHARACTERS);
  return {
    output,
    truncated: output.length < text.length,
    ...(isWritten ? { outputPath } : {}),
    outputMeta: { lineCount: lines.length, charCount: text.length },
  };
}
