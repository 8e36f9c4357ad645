// First floor, core: rules that interrupt an answer, and the second try. Knows what was found, not how it is looked for.
import { isRecord } from '../../base/index.ts';
import type { PatternWatch, SketchedEntry } from '../../contracts/index.ts';
import type { AssistantMessageEvent, EntryBody, Rule } from '../../protocol/index.ts';
import type { AnswerWatch } from '../agent/scope.ts';
import { DISCARDED, type RuleOptions } from '../policy/rules.ts';
import { CHECKPOINT_ENTRY } from './restored.ts';
import type { Seat } from './seat.ts';

export class RuleFacet {
  readonly #seat: Seat;
  readonly #options: RuleOptions | undefined;
  #rules: readonly Rule[] | undefined;
  #eye: PatternWatch | undefined;
  /** When each was last acted upon, in turns; -Infinity from an earlier life of the session. */
  readonly #acted = new Map<string, number>();
  #turn = 0;
  /** Broken by the present answer. */
  #broken: Rule[] = [];
  #interrupt: AbortController | undefined;

  constructor(seat: Seat) {
    this.#seat = seat;
    this.#options = seat.options.rules;
  }

  /** Before a run. Without rules nothing of this is in its way. */
  async prepare(): Promise<boolean> {
    if (!this.#options) return false;
    this.#rules ??= await this.#options.find();
    return this.#rules.length > 0;
  }

  /** For one answer; `undefined` when no rule may act on it. */
  watch(run: AbortSignal): AnswerWatch | undefined {
    this.#turn += 1;
    this.#broken = [];
    const names = (this.#rules ?? []).filter((rule) => this.#mayAct(rule)).map(({ name }) => name);
    const eye = names.length > 0 ? this.#open() : undefined;
    if (!eye) return undefined;
    eye.begin(names);
    const interrupt = new AbortController();
    this.#interrupt = interrupt;
    const follow = () => interrupt.abort();
    if (run.aborted) follow();
    else run.addEventListener('abort', follow, { once: true });
    const facet = this;
    return {
      signal: interrupt.signal,
      see(event) {
        const text = growth(event);
        if (text !== undefined) eye.feed(text);
      },
      settled: () => eye.settled(),
      get reason() {
        const isDiscarded = facet.#broken.length > 0 && facet.#options?.contextMode === 'discard';
        return isDiscarded ? DISCARDED : undefined;
      },
      get isBroken() {
        return facet.#broken.length > 0;
      },
      end: () => run.removeEventListener('abort', follow),
    };
  }

  /** The answer was interrupted by a rule, and another try is due. */
  get isDue(): boolean {
    return this.#broken.length > 0;
  }

  /** Puts the reminder before the model. */
  async remind(): Promise<boolean> {
    const broken = this.#broken;
    this.#broken = [];
    const content = broken.map(reminder).join('\n\n');
    const entries: EntryBody[] = [
      { type: 'ttsr_injection', injectedRules: broken.map(({ name }) => name) },
      { type: 'custom_message', customType: 'ttsr-injection', content, display: false },
    ];
    await this.#seat.conversation.record(entries);
    return true;
  }

  /** Another conversation: its rules are looked for anew, and what they did there counts. */
  reset(): void {
    this.close();
    this.#rules = undefined;
    this.#acted.clear();
    for (const entry of this.#seat.conversation.sketch) {
      for (const name of actedIn(entry)) this.#acted.set(name, Number.NEGATIVE_INFINITY);
    }
  }

  /** By name. */
  get acted(): readonly string[] {
    return [...this.#acted.keys()];
  }

  close(): void {
    this.#eye?.close();
    this.#eye = undefined;
  }

  #mayAct({ name }: Rule): boolean {
    const last = this.#acted.get(name);
    if (last === undefined) return true;
    return this.#options?.repeatMode === 'after-gap' && this.#turn - last >= this.#options.repeatGap;
  }

  #open(): PatternWatch | undefined {
    this.#eye ??= this.#options?.watch(
      (this.#rules ?? []).map(({ name, ttsrTrigger = '' }) => ({ name, expression: ttsrTrigger })),
      {
        found: (names) => this.#found(names),
        lost: (name) => this.#lost(name),
      },
    );
    return this.#eye;
  }

  #found(names: readonly string[]): void {
    const interrupt = this.#interrupt;
    if (!interrupt || interrupt.signal.aborted) return;
    this.#broken = (this.#rules ?? []).filter(({ name }) => names.includes(name));
    for (const { name } of this.#broken) this.#acted.set(name, this.#turn);
    void this.#seat.broadcast.emit({ type: 'ttsr_triggered', rules: this.#broken });
    interrupt.abort();
  }

  #lost(name: string): void {
    this.#rules = this.#rules?.filter((rule) => rule.name !== name);
    const message = `The trigger of rule ${name} takes too long; the rule is off for this session.`;
    void this.#seat.broadcast.emit({ type: 'notice', level: 'warning', message, source: 'rules' });
  }
}

/** A compaction and a digest say again what was in the part of the log that is not read any more. */
export function actedIn(entry: SketchedEntry): readonly string[] {
  if (entry.type === 'digest') return entry.rules ?? [];
  if (entry.type === 'ttsr_injection') return entry.injectedRules;
  const isCheckpoint = entry.type === 'custom' && entry.customType === CHECKPOINT_ENTRY;
  const names = isCheckpoint && isRecord(entry.data) ? entry.data.injectedRules : undefined;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** What the model says to the world: its thoughts break no rule. */
function growth(event: AssistantMessageEvent): string | undefined {
  return event.type === 'text_delta' || event.type === 'toolcall_delta' ? event.delta : undefined;
}

/** The tag is what models of this family of agents know. */
function reminder({ name, path, content }: Rule): string {
  const why = 'Your answer was stopped because it broke this rule. Begin again, and keep to it:';
  return `<system_interrupt reason="rule_violation" rule="${name}" path="${path}">\n${why}\n\n${content}\n</system_interrupt>`;
}
