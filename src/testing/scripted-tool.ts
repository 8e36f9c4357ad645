// The hall, testing: tools that do what a transcript says.
import { object, optional, record, string, unknown } from 'valibot';
import { type Deferred, deferred, Fault } from '../base/index.ts';
import { type Tool, tool } from '../contracts/index.ts';

export interface ScriptedTool {
  name: string;
  text?: string;
  details?: unknown;
  isError?: boolean;
  /** Cumulative outputs to show before the end. */
  updates?: string[];
  /** Waits for this name to be released; an abort ends the wait. */
  hold?: string;
  /** Goes on waiting even when aborted. */
  deaf?: boolean;
}

export interface ScriptedTools {
  readonly tools: readonly Tool[];
  release(name: string): void;
}

export function createScriptedTools(scripts: readonly ScriptedTool[]): ScriptedTools {
  const gates = new Map<string, Deferred<void>>();
  const gate = (name: string) => {
    const known = gates.get(name) ?? deferred();
    gates.set(name, known);
    return known;
  };
  return {
    tools: scripts.map((script) => scripted(script, (name) => gate(name).promise)),
    release: (name) => gate(name).resolve(),
  };
}

function scripted(script: ScriptedTool, gate: (name: string) => Promise<void>): Tool {
  return tool({
    name: script.name,
    doc: `The scripted tool ${script.name}.`,
    effect: 'read',
    params: object({ input: optional(string()), any: optional(record(string(), unknown())) }),
    async run(_, { signal, update }) {
      for (const text of script.updates ?? []) update({ content: [{ type: 'text', text }] });
      if (script.hold) await Promise.race([gate(script.hold), script.deaf ? new Promise(() => {}) : aborted(signal)]);
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}
