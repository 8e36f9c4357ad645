// Calls a tool of a connected server: progress, cancellation, and a time limit for servers that have become silent.
import type { CallToolResult, Client, Progress, Tool as SdkTool } from '@modelcontextprotocol/client';
import { Fault } from '../base/index.ts';
import type { ListedTool } from './read-lists.ts';
import { NO_TIMEOUT_MS, type ServerScope } from './server-scope.ts';

/** A call may take any time as long as the server reports progress. */
const MAX_SILENCE_MS = 10 * 60 * 1000;

export interface ToolCallOptions {
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

export async function callTool(
  client: Client,
  { name, raw }: ListedTool,
  args: Record<string, unknown>,
  options: ToolCallOptions,
  scope: ServerScope,
): Promise<CallToolResult> {
  const watch = watchSilence(scope, options.signal);
  try {
    return await client.callTool(
      { name, arguments: args },
      {
        toolDefinition: raw as unknown as SdkTool,
        timeout: NO_TIMEOUT_MS,
        signal: watch.signal,
        onprogress: (progress) => {
          watch.reset();
          options.onProgress(progress);
        },
      },
    );
  } catch (thrown) {
    if (options.signal.aborted) throw new Fault('aborted', 'Tool call aborted', { cause: thrown });
    if (watch.signal.aborted) {
      throw new Fault('timeout', `The tool ${name} sent nothing for ${MAX_SILENCE_MS / 60_000} minutes`);
    }
    throw thrown;
  } finally {
    watch.end();
  }
}

interface SilenceWatch {
  /** Aborts with the signal of the call, or after a long silence. */
  readonly signal: AbortSignal;
  reset(): void;
  end(): void;
}

function watchSilence(scope: ServerScope, signal: AbortSignal): SilenceWatch {
  const { clock } = scope.context.ports;
  const controller = new AbortController();
  const abort = () => controller.abort(new Error('The user has cancelled the call'));
  const check = () => {
    // The server waits for the user or for the model.
    if (scope.openRequests > 0) cancel = clock.after(MAX_SILENCE_MS, check);
    else controller.abort(new Error('The call has timed out'));
  };
  let cancel = clock.after(MAX_SILENCE_MS, check);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    reset() {
      cancel();
      cancel = clock.after(MAX_SILENCE_MS, check);
    },
    end() {
      cancel();
      signal.removeEventListener('abort', abort);
    },
  };
}
