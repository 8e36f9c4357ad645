// The `write` tool: creates or overwrites a file in place, so that links, owner and mode are preserved.
import { dirname } from 'node:path';
import { object, string } from 'valibot';
import { tool } from '../contracts/index.ts';
import { withFileMutationQueue } from './file-mutation-queue.ts';
import { requireKind, resolvePath } from './resolve-path.ts';
import { createTextResult, throwIfAborted, withErrorContext } from './result.ts';

export const write = tool({
  name: 'write',
  effect: 'write',
  fileAccess: 'modified',
  doc: 'Create or overwrite a file. Missing folders are made.',
  snippet: 'Create or overwrite files',
  guidelines: ['Use write only for new files or complete rewrites.'],
  params: object({ path: string(), content: string() }),
  async run({ path, content }, { signal, ports, cwd, hostUris }) {
    if (hostUris?.findScheme(path)) {
      const { writeHostUri } = await import('./host-uri.ts');
      return writeHostUri(hostUris, path, content, signal);
    }
    const intent = `Cannot write ${path}`;
    const { real } = await resolvePath(path, { cwd, ports });
    const bytes = Buffer.from(content, 'utf8');
    await withFileMutationQueue(ports.files, real, () =>
      withErrorContext(intent, async () => {
        throwIfAborted(signal);
        const info = await ports.files.info(real);
        if (info) requireKind('file', info, intent);
        else await ports.files.makeDirectory(dirname(real));
        await ports.files.write(real, bytes);
      }),
    );
    return createTextResult(`Successfully wrote ${bytes.length} bytes to ${path}`);
  },
});
