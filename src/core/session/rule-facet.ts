// Interrupts an answer that violates a rule, and adds a reminder before the next attempt.
import { isRecord } from '../../base/index.ts';
import type { LazyPathEntry, PatternMatcher } from '../../contracts/index.ts';
import type { AssistantMessageEvent, EntryBody, Rule } from '../../protocol/index.ts';
import { INTERRUPTED_BY_RULE } from '../../protocol/run-progress.ts';
import type { AnswerWatch } from '../agent/run-scope.ts';
import type { RuleOptions } from '../policy/rule-options.ts';
import { CHECKPOINT_ENTRY } from './restore-state.ts';
import type { SessionState } from './session-state.ts';

export class RuleFacet {
  readonly #state: SessionState;
  readonly #options: RuleOptions | undefined;
  #rules: readonly Rule[] | undefined;
  #patternMatcher: PatternMatcher | undefined;
  /** The turn in which each rule was last triggered; -Infinity if an earlier process triggered it. */
  readonly #lastTriggeredTurn = new Map<string, number>();
  #turn = 0;
  /** Rules violated by the current answer. */
  violatedRules: Rule[] = [];
  #interrupt: AbortController | undefined;

  constructor(state: SessionState) {
    this.#state = state;
    this.#options = state.options.rules;
  }

  /** Called before a run. Returns false if there are no rules. */
  async loadRules(): Promise<boolean> {
    if (!this.#options) return false;
    this.#rules ??= await this.#options.loadRules();
    return this.#rules.length > 0;
  }

  /** Watches one answer; `undefined` if no rule can be triggered. */
  watchAnswer(run: AbortSignal): AnswerWatch | undefined {
    this.#turn += 1;
    this.violatedRules = [];
    const names = (this.#rules ?? []).filter((rule) => this.#canTrigger(rule)).map(({ name }) => name);
    const patternMatcher = names.length > 0 ? this.#openPatternMatcher() : undefined;
    if (!patternMatcher) return undefined;
    patternMatcher.reset(names);
    const interrupt = new AbortController();
    this.#interrupt = interrupt;
    const abortWithRun = () => interrupt.abort();
    if (run.aborted) abortWithRun();
    else run.addEventListener('abort', abortWithRun, { once: true });
    const facet = this;
    return {
      signal: interrupt.signal,
      feed(event) {
        const text = readDelta(event);
        if (text !== undefined) patternMatcher.feed(text);
      },
      waitUntilChecked: () => patternMatcher.waitUntilSettled(),
      get interruptReason() {
        const isDiscarded = facet.violatedRules.length > 0 && facet.#options?.contextMode === 'discard';
        return isDiscarded ? INTERRUPTED_BY_RULE : undefined;
      },
      get isRuleViolated() {
        return facet.violatedRules.length > 0;
      },
      stop: () => run.removeEventListener('abort', abortWithRun),
    };
  }

  /** A rule interrupted the answer, and the request must be repeated. */
  get shouldRemind(): boolean {
    return this.violatedRules.length > 0;
  }

  /** Adds the reminder to the conversation. `names`: of the rules that were violated in an earlier process. */
  async remind(names?: readonly string[]): Promise<boolean> {
    const violatedRules = names ? this.#triggerAgain(names) : this.violatedRules;
    this.violatedRules = [];
    if (violatedRules.length === 0) return true;
    const content = violatedRules.map(formatReminder).join('\n\n');
    const entries: EntryBody[] = [
      { type: 'ttsr_injection', injectedRules: violatedRules.map(({ name }) => name) },
      { type: 'custom_message', customType: 'ttsr-injection', content, display: false },
    ];
    await this.#state.conversation.record(entries);
    return true;
  }

  #triggerAgain(names: readonly string[]): Rule[] {
    const violatedRules = (this.#rules ?? []).filter(({ name }) => names.includes(name));
    for (const { name } of violatedRules) this.#lastTriggeredTurn.set(name, this.#turn);
    return violatedRules;
  }

  /** Called after a switch to another conversation. Rules are loaded again; triggered rules are read from its log. */
  reset(): void {
    this.close();
    this.#rules = undefined;
    this.#lastTriggeredTurn.clear();
    for (const entry of this.#state.conversation.lazyPath) {
      for (const name of readTriggeredRules(entry)) this.#lastTriggeredTurn.set(name, Number.NEGATIVE_INFINITY);
    }
  }

  get triggeredRules(): readonly string[] {
    return [...this.#lastTriggeredTurn.keys()];
  }

  close(): void {
    this.#patternMatcher?.close();
    this.#patternMatcher = undefined;
  }

  #canTrigger({ name }: Rule): boolean {
    const last = this.#lastTriggeredTurn.get(name);
    if (last === undefined) return true;
    return this.#options?.repeatMode === 'after-gap' && this.#turn - last >= this.#options.repeatGap;
  }

  #openPatternMatcher(): PatternMatcher | undefined {
    this.#patternMatcher ??= this.#options?.createPatternMatcher(
      (this.#rules ?? []).map(({ name, ttsrTrigger = '' }) => ({ name, expression: ttsrTrigger })),
      {
        onMatch: (names) => this.#onMatch(names),
        onTimeout: (name) => this.#onPatternTimeout(name),
      },
    );
    return this.#patternMatcher;
  }

  #onMatch(names: readonly string[]): void {
    const interrupt = this.#interrupt;
    if (!interrupt || interrupt.signal.aborted) return;
    this.violatedRules = (this.#rules ?? []).filter(({ name }) => names.includes(name));
    for (const { name } of this.violatedRules) this.#lastTriggeredTurn.set(name, this.#turn);
    void this.#state.broadcast.emit({ type: 'ttsr_triggered', rules: this.violatedRules });
    interrupt.abort();
  }

  #onPatternTimeout(name: string): void {
    this.#rules = this.#rules?.filter((rule) => rule.name !== name);
    const message = `Matching the trigger of rule ${name} timed out. The rule is disabled for this session.`;
    void this.#state.broadcast.emit({ type: 'notice', level: 'warning', message, source: 'rules' });
  }
}

/** Checkpoints and digests repeat the rules from the part of the log that is no longer read. */
export function readTriggeredRules(entry: LazyPathEntry): readonly string[] {
  if (entry.type === 'digest') return entry.rules ?? [];
  if (entry.type === 'ttsr_injection') return entry.injectedRules;
  const isCheckpoint = entry.type === 'custom' && entry.customType === CHECKPOINT_ENTRY;
  const names = isCheckpoint && isRecord(entry.data) ? entry.data.injectedRules : undefined;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** Rules apply to text and tool calls, not to thinking. */
function readDelta(event: AssistantMessageEvent): string | undefined {
  return event.type === 'text_delta' || event.type === 'toolcall_delta' ? event.delta : undefined;
}

/** Other agents use the same tag, so models may know it. */
function formatReminder({ name, path, content }: Rule): string {
  const instruction = 'Your answer was interrupted because it violated this rule. Start again and follow the rule:';
  return `<system_interrupt reason="rule_violation" rule="${name}" path="${path}">\n${instruction}\n\n${content}\n</system_interrupt>`;
}
