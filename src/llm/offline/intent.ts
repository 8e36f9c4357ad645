// First floor, llm: what the offline model can be asked for, as data. Knows neither the words for it nor the tools.

/** Something to do with a tool. */
export type Errand =
  | { kind: 'list'; path: string }
  | { kind: 'find'; pattern: string; path?: string }
  | { kind: 'search'; pattern: string; regex?: true; ignoreCase?: true; path?: string; glob?: string }
  | { kind: 'read'; path: string; from?: number; to?: number }
  | { kind: 'summarise'; path: string }
  | { kind: 'run'; command: string }
  | { kind: 'replace'; path: string; oldText: string; newText: string }
  | { kind: 'create'; path: string; content: string }
  | { kind: 'append'; path: string; content: string };

/** Something that only needs words. */
export type Remark =
  | { kind: 'greet' }
  | { kind: 'thanks' }
  | { kind: 'help' }
  | { kind: 'about' }
  | { kind: 'say'; text: string }
  | { kind: 'think'; topic: string }
  | { kind: 'count'; to: number }
  /** What did the last command print? */
  | { kind: 'output' }
  | { kind: 'stop' }
  | { kind: 'continue' }
  | { kind: 'unclear'; words: string; hint?: Hint };

/** Why a request that was nearly understood was not carried out. */
export type Hint = 'quote-command' | 'name-file' | 'no-delete' | 'count-limit';

export type Intent = Errand | Remark;

export const COUNT_LIMIT = 100_000;

const ERRANDS: ReadonlySet<Intent['kind']> = new Set<Errand['kind']>([
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

export function isErrand(intent: Intent): intent is Errand {
  return ERRANDS.has(intent.kind);
}
