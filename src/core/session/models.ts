// First floor, core: which model answers, and how hard it thinks. Each choice is an entry of the log.
import { Fault, messageOf } from '../../base/index.ts';
import type { ModelChoice } from '../../contracts/index.ts';
import { clampLevel, type EntryBody, levelsOf, type Model, type ThinkingLevel } from '../../protocol/index.ts';
import type { Restored } from './restored.ts';
import type { Seat } from './seat.ts';

export class ModelFacet implements ModelChoice {
  readonly #seat: Seat;
  #current: Model | null;
  /** What was asked for; a model that cannot think so hard does not make us forget it. */
  #wanted: ThinkingLevel;
  /** By a person, a flag or the log: settings do not change it any more. */
  readonly #chosen = new Set<'model' | 'level'>();

  constructor(seat: Seat) {
    this.#seat = seat;
    this.#current = seat.options.model;
    this.#wanted = seat.options.thinkingLevel;
    if (seat.options.modelAsked) this.#chosen.add('model');
    if (!seat.options.resumed) this.note();
  }

  get current(): Model | null {
    return this.#current;
  }

  get thinkingLevel(): ThinkingLevel {
    return clampLevel(this.#wanted, this.#current);
  }

  /** What was asked for, whether or not the current model can. */
  get wanted(): ThinkingLevel {
    return this.#wanted;
  }

  get thinkingLevels(): readonly ThinkingLevel[] {
    return levelsOf(this.#current);
  }

  available(): Promise<readonly Model[]> {
    return this.#seat.options.models.available();
  }

  async prefer(model: Model | null, level: ThinkingLevel): Promise<void> {
    const chosen = this.#chosen;
    await this.#change(chosen.has('model') ? this.#current : model, chosen.has('level') ? this.#wanted : level);
  }

  async choose(provider: string, modelId: string): Promise<Model> {
    const { models } = this.#seat.options;
    const model = await models.find(provider, modelId);
    if (!model) throw new Fault('not_found', `Model not found: ${provider}/${modelId}`);
    await models.ready(model);
    await this.#change(model, this.#wanted, 'model');
    return model;
  }

  async cycle(): Promise<{ model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | null> {
    const scope = await this.#seat.options.models.scope();
    const candidates = scope ?? (await this.available());
    if (candidates.length <= 1) return null;
    const here = candidates.findIndex((m) => m.provider === this.#current?.provider && m.id === this.#current.id);
    const model = candidates[(Math.max(here, 0) + 1) % candidates.length] as Model;
    await this.#seat.options.models.ready(model);
    await this.#change(model, this.#wanted, 'model', 'cycle');
    return { model, thinkingLevel: this.thinkingLevel, isScoped: scope !== undefined };
  }

  async think(level: ThinkingLevel): Promise<void> {
    await this.#change(this.#current, clampLevel(level, this.#current), 'level');
  }

  async cycleThinking(): Promise<ThinkingLevel | null> {
    if (!this.#current?.reasoning) return null;
    const levels = this.thinkingLevels;
    const next = levels[(levels.indexOf(this.thinkingLevel) + 1) % levels.length] as ThinkingLevel;
    await this.think(next);
    return next;
  }

  /** The first entries of a conversation say how it began. */
  note(): void {
    const { current, thinkingLevel } = this;
    if (current) {
      this.#seat.conversation.note([{ type: 'model_change', provider: current.provider, modelId: current.id }]);
    }
    this.#seat.conversation.note([{ type: 'thinking_level_change', thinkingLevel }]);
  }

  /** The choices of a conversation that goes on. A model that is not there any more is named, not silently replaced. */
  async restore(wanted: Restored): Promise<void> {
    if (wanted.thinkingLevel) {
      this.#wanted = wanted.thinkingLevel;
      this.#chosen.add('level');
    }
    if (!wanted.model) return;
    const { provider, modelId } = wanted.model;
    const { models } = this.#seat.options;
    // A session that began without a key goes on with the model that can be used now.
    if (this.#current && models.isStandIn?.(provider) && !models.isStandIn(this.#current.provider)) return;
    this.#chosen.add('model');
    try {
      const model = await models.find(provider, modelId);
      if (!model) throw new Fault('not_found', `Model not found: ${provider}/${modelId}`);
      await models.ready(model);
      const previous = this.#current;
      this.#current = model;
      await this.#tell(previous, 'restore');
    } catch (thrown) {
      const using = this.#current ? `${this.#current.provider}/${this.#current.id}` : 'no model';
      const message = `The session's model cannot be used, going on with ${using}: ${messageOf(thrown)}`;
      void this.#seat.broadcast.emit({ type: 'notice', level: 'warning', message, source: 'models' });
    }
  }

  /**
   * What was `chosen` is written first, so that what was acknowledged is what a resumed session finds. What nobody chose goes
   * to the log with the next words.
   */
  async #change(
    model: Model | null,
    wanted: ThinkingLevel,
    chosen?: 'model' | 'level',
    source: 'set' | 'cycle' = 'set',
  ): Promise<void> {
    const { conversation } = this.#seat;
    const level = clampLevel(wanted, model);
    const moved = model && (model.provider !== this.#current?.provider || model.id !== this.#current.id);
    const entries: EntryBody[] = [
      ...(moved ? [{ type: 'model_change' as const, provider: model.provider, modelId: model.id }] : []),
      ...(level === this.thinkingLevel ? [] : [{ type: 'thinking_level_change' as const, thinkingLevel: level }]),
    ];
    if (chosen) {
      await conversation.commit(entries);
      this.#chosen.add(chosen);
    } else conversation.note(entries);
    const previous = this.#current;
    const levelBefore = this.thinkingLevel;
    this.#current = model;
    this.#wanted = wanted;
    if (level !== levelBefore) await this.#leveled(level, levelBefore);
    if (moved) await this.#tell(previous, source);
  }

  async #leveled(level: ThinkingLevel, previousLevel: ThinkingLevel): Promise<void> {
    await this.#seat.broadcast.emit({ type: 'thinking_level_changed', level });
    await this.#seat.hooks.observe?.({ type: 'thinking_level_select', level, previousLevel });
  }

  async #tell(previousModel: Model | null, source: 'set' | 'cycle' | 'restore'): Promise<void> {
    const { observe } = this.#seat.hooks;
    if (observe && this.#current) await observe({ type: 'model_select', model: this.#current, previousModel, source });
  }
}
