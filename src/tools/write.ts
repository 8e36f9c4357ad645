// First floor, tools: creates or overwrites one file, in place, so that links, owner and mode stay as they are.
import { dirname } from 'node:path';
import { object, string } from 'valibot';
import { tool } from '../contracts/index.ts';
import { inTurn } from './path-queue.ts';
import { placeOf, refuseUnless } from './paths.ts';
import { orExplain, stopIfAborted, textResult } from './result.ts';

export const write = tool({
  name: 'write',
  effect: 'write',
  file: 'modified',
  doc: 'Create or overwrite a file. Missing folders are made.',
  snippet: 'Create or overwrite files',
  guidelines: ['Use write only for new files or complete rewrites.'],
  params: object({ path: string(), content: string() }),
  async run({ path, content }, { signal, ports, cwd }) {
    const intent = `Cannot write ${path}`;
    const { real } = await placeOf(path, { cwd, ports });
    const bytes = Buffer.from(content, 'utf8');
    await inTurn(ports.files, real, () =>
      orExplain(intent, async () => {
        stopIfAborted(signal);
        const info = await ports.files.info(real);
        if (info) refuseUnless('file', info, intent);
        else await ports.files.makeDirectory(dirname(real));
        await ports.files.write(real, bytes);
      }),
    );
    return textResult(`Successfully wrote ${bytes.length} bytes to ${path}`);
  },
});
