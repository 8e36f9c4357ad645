// The requests that the offline model understands, as data.

/** A request that needs a tool. */
export type ToolIntent =
  | { kind: 'list'; path: string }
  | { kind: 'find'; pattern: string; path?: string }
  | { kind: 'search'; pattern: string; regex?: true; ignoreCase?: true; path?: string; glob?: string }
  | { kind: 'read'; path: string; from?: number; to?: number }
  | { kind: 'summarise'; path: string }
  | { kind: 'run'; command: string }
  | { kind: 'replace'; path: string; oldText: string; newText: string }
  | { kind: 'create'; path: string; content: string }
  | { kind: 'append'; path: string; content: string };

/** A request that needs only a text answer. */
export type TextIntent =
  | { kind: 'greet' }
  | { kind: 'thanks' }
  | { kind: 'help' }
  | { kind: 'about' }
  | { kind: 'say'; text: string }
  | { kind: 'think'; topic: string }
  | { kind: 'count'; to: number }
  /** Asks for the output of the last command. */
  | { kind: 'output' }
  | { kind: 'stop' }
  | { kind: 'continue' }
  | { kind: 'unclear'; request: string; hint?: Hint };

/** Why a request that was almost understood was not carried out. */
export type Hint = 'quote-command' | 'name-file' | 'no-delete' | 'count-limit';

export type Intent = ToolIntent | TextIntent;

export const COUNT_LIMIT = 100_000;

const TOOL_INTENT_KINDS: ReadonlySet<Intent['kind']> = new Set<ToolIntent['kind']>([
  'list',
  'find',
  'search',
  'read',
  'summarise',
  'run',
  'replace',
  'create',
  'append',
]);

export function isToolIntent(intent: Intent): intent is ToolIntent {
  return TOOL_INTENT_KINDS.has(intent.kind);
}
