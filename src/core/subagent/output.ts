// Saves a subagent's final output: complete in a file, truncated in the result.
import { getErrorMessage } from '../../base/index.ts';
import type { Ports } from '../../contracts/index.ts';
import type { SubagentResult } from '../../protocol/index.ts';

const MAX_CHARACTERS = 500_000;
const MAX_LINES = 5000;

type SavedOutput = Pick<SubagentResult, 'output' | 'truncated'> & Pick<SubagentResult, 'outputPath' | 'outputMeta'>;

/** Never rejects: when the file cannot be written, the result still holds the truncated output. */
export async function saveOutput(
  { files, log }: Ports,
  folder: string,
  id: string,
  text: string,
): Promise<SavedOutput> {
  if (text === '') return { output: '', truncated: false };
  const outputPath = `${folder}/${id}.md`;
  const isWritten = await files.write(outputPath, new TextEncoder().encode(text), { mode: 0o600 }).then(
    () => true,
    (thrown) => {
      log('cannot write subagent output', { path: outputPath, error: getErrorMessage(thrown) });
      return false;
    },
  );
  const lines = text.split('\n');
  const output = lines.slice(0, MAX_LINES).join('\n').slice(0, MAX_CHARACTERS);
  return {
    output,
    truncated: output.length < text.length,
    ...(isWritten ? { outputPath } : {}),
    outputMeta: { lineCount: lines.length, charCount: text.length },
  };
}
