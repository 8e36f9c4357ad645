// Tools with scripted results.
import { object, optional, record, string, unknown } from 'valibot';
import { createDeferred, type Deferred, Fault } from '../base/index.ts';
import { type Tool, tool } from '../contracts/index.ts';

export interface ScriptedTool {
  name: string;
  text?: string;
  details?: unknown;
  isError?: boolean;
  /** Cumulative outputs that are sent before the result. */
  updates?: string[];
  /** Waits until this name is released or the call is aborted. */
  hold?: string;
  /** Ignores an abort and keeps waiting. */
  ignoresAbort?: boolean;
}

export interface ScriptedTools {
  readonly tools: readonly Tool[];
  release(name: string): void;
}

export function createScriptedTools(scripts: readonly ScriptedTool[]): ScriptedTools {
  const releases = new Map<string, Deferred<void>>();
  const getRelease = (name: string) => {
    const release = releases.get(name) ?? createDeferred();
    releases.set(name, release);
    return release;
  };
  return {
    tools: scripts.map((script) => createScriptedTool(script, (name) => getRelease(name).promise)),
    release: (name) => getRelease(name).resolve(),
  };
}

function createScriptedTool(script: ScriptedTool, waitForRelease: (name: string) => Promise<void>): Tool {
  return tool({
    name: script.name,
    doc: `The scripted tool ${script.name}.`,
    effect: 'read',
    params: object({ input: optional(string()), any: optional(record(string(), unknown())) }),
    async run(_, { signal, update }) {
      for (const text of script.updates ?? []) update({ content: [{ type: 'text', text }] });
      if (script.hold)
        await Promise.race([
          waitForRelease(script.hold),
          script.ignoresAbort ? new Promise(() => {}) : waitForAbort(signal),
        ]);
      if (signal.aborted) throw new Fault('aborted', 'Operation aborted');
      const { details, isError } = script;
      return {
        content: [{ type: 'text', text: script.text ?? 'done' }],
        ...(details === undefined ? {} : { details }),
        ...(isError ? { isError } : {}),
      };
    },
  }) as unknown as Tool;
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}
