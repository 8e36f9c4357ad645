// Selects the model and the thinking level. Each choice is stored in the log.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { ModelSelection } from '../../contracts/index.ts';
import {
  clampThinkingLevel,
  type EntryBody,
  getThinkingLevels,
  type Model,
  type ThinkingLevel,
} from '../../protocol/index.ts';
import type { RestoredState } from './restore-state.ts';
import type { SessionState } from './session-state.ts';

export class ModelFacet implements ModelSelection {
  fastMode = false;
  readonly #state: SessionState;
  #current: Model | null;
  /** The requested level. It is kept when the current model does not support it. */
  #requestedLevel: ThinkingLevel;
  /** Choices made by the user, a flag or the log. Settings do not override them. */
  readonly #explicitChoices = new Set<'model' | 'level'>();

  constructor(state: SessionState) {
    this.#state = state;
    this.#current = state.options.model;
    this.#requestedLevel = state.options.thinkingLevel;
    if (state.options.isModelExplicit) this.#explicitChoices.add('model');
    if (!state.options.resumed) this.recordInitialChoice();
  }

  get current(): Model | null {
    return this.#current;
  }

  get thinkingLevel(): ThinkingLevel {
    return clampThinkingLevel(this.#requestedLevel, this.#current);
  }

  /** The requested level, even if the current model does not support it. */
  get requestedLevel(): ThinkingLevel {
    return this.#requestedLevel;
  }

  get supportsFastMode(): boolean {
    return (this.#current && this.#state.options.models.supportsFastMode?.(this.#current)) ?? false;
  }

  get thinkingLevels(): readonly ThinkingLevel[] {
    return getThinkingLevels(this.#current);
  }

  listAvailable(): Promise<readonly Model[]> {
    return this.#state.options.models.listAvailable();
  }

  async setInitial(model: Model | null, level: ThinkingLevel): Promise<void> {
    const explicit = this.#explicitChoices;
    await this.#change(
      explicit.has('model') ? this.#current : model,
      explicit.has('level') ? this.#requestedLevel : level,
    );
  }

  async select(provider: string, modelId: string): Promise<Model> {
    const { models } = this.#state.options;
    const model = await models.find(provider, modelId);
    if (!model) throw new Fault('not_found', `Model not found: ${provider}/${modelId}`);
    await models.requireCredentials(model);
    await this.#change(model, this.#requestedLevel, 'model');
    await this.reportAssumptions();
    return model;
  }

  async cycle(): Promise<{ model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | null> {
    const scope = await this.#state.options.models.listScoped();
    const candidates = scope ?? (await this.listAvailable());
    if (candidates.length <= 1) return null;
    const currentIndex = candidates.findIndex(
      (m) => m.provider === this.#current?.provider && m.id === this.#current.id,
    );
    const model = candidates[(Math.max(currentIndex, 0) + 1) % candidates.length] as Model;
    await this.#state.options.models.requireCredentials(model);
    const level = (await this.#state.options.models.findScopedLevel?.(model)) ?? this.#requestedLevel;
    await this.#change(model, level, 'model', 'cycle');
    return { model, thinkingLevel: this.thinkingLevel, isScoped: scope !== undefined };
  }

  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    await this.#change(this.#current, clampThinkingLevel(level, this.#current), 'level');
  }

  async cycleThinkingLevel(): Promise<ThinkingLevel | null> {
    if (!this.#current?.reasoning) return null;
    const levels = this.thinkingLevels;
    const next = levels[(levels.indexOf(this.thinkingLevel) + 1) % levels.length] as ThinkingLevel;
    await this.setThinkingLevel(next);
    return next;
  }

  /** Sends a notice, once, when the limits and prices of the current model are assumed. */
  async reportAssumptions(): Promise<void> {
    const message = this.#current && this.#state.options.models.takeAssumptionNotice?.(this.#current);
    if (message) await this.#state.broadcast.emit({ type: 'notice', level: 'warning', message, source: 'models' });
  }

  /** Adds the current model and level as the first entries of a conversation. */
  recordInitialChoice(): void {
    const { current, thinkingLevel } = this;
    if (current) {
      this.#state.conversation.appendDeferred([
        { type: 'model_change', provider: current.provider, modelId: current.id },
      ]);
    }
    this.#state.conversation.appendDeferred([{ type: 'thinking_level_change', thinkingLevel }]);
  }

  /** Restores the choices of a resumed conversation. If its model is unavailable a notice names it. */
  async restore(saved: RestoredState): Promise<void> {
    if (saved.thinkingLevel) {
      this.#requestedLevel = saved.thinkingLevel;
      this.#explicitChoices.add('level');
    }
    if (!saved.model) return;
    const { provider, modelId } = saved.model;
    const { models } = this.#state.options;
    // A session that was started without an API key continues with the model that is usable now.
    if (this.#current && models.isFallbackProvider?.(provider) && !models.isFallbackProvider(this.#current.provider))
      return;
    this.#explicitChoices.add('model');
    try {
      const model = await models.find(provider, modelId);
      if (!model) throw new Fault('not_found', `Model not found: ${provider}/${modelId}`);
      await models.requireCredentials(model);
      const previous = this.#current;
      this.#current = model;
      await this.#notifyModelChange(previous, 'restore');
    } catch (thrown) {
      const currentName = this.#current ? `${this.#current.provider}/${this.#current.id}` : 'no model';
      const message = `The model of this session cannot be used; continuing with ${currentName}: ${getErrorMessage(thrown)}`;
      void this.#state.broadcast.emit({ type: 'notice', level: 'warning', message, source: 'models' });
    }
  }

  /**
   * An explicit choice is written before it is acknowledged, so that a resumed session finds it. Other changes are written with the
   * next entries.
   */
  async #change(
    model: Model | null,
    requestedLevel: ThinkingLevel,
    explicitChoice?: 'model' | 'level',
    source: 'set' | 'cycle' = 'set',
  ): Promise<void> {
    const { conversation } = this.#state;
    const level = clampThinkingLevel(requestedLevel, model);
    const isModelChanged = model && (model.provider !== this.#current?.provider || model.id !== this.#current.id);
    const entries: EntryBody[] = [
      ...(isModelChanged ? [{ type: 'model_change' as const, provider: model.provider, modelId: model.id }] : []),
      ...(level === this.thinkingLevel ? [] : [{ type: 'thinking_level_change' as const, thinkingLevel: level }]),
    ];
    if (explicitChoice) {
      await conversation.commit(entries);
      this.#explicitChoices.add(explicitChoice);
    } else conversation.appendDeferred(entries);
    const previous = this.#current;
    const previousLevel = this.thinkingLevel;
    this.#current = model;
    this.#requestedLevel = requestedLevel;
    if (level !== previousLevel) await this.#notifyLevelChange(level, previousLevel);
    if (isModelChanged) await this.#notifyModelChange(previous, source);
  }

  async #notifyLevelChange(level: ThinkingLevel, previousLevel: ThinkingLevel): Promise<void> {
    await this.#state.broadcast.emit({ type: 'thinking_level_changed', level });
    await this.#state.hooks.onLifecycleEvent?.({ type: 'thinking_level_select', level, previousLevel });
  }

  async #notifyModelChange(previousModel: Model | null, source: 'set' | 'cycle' | 'restore'): Promise<void> {
    const { onLifecycleEvent } = this.#state.hooks;
    if (onLifecycleEvent && this.#current)
      await onLifecycleEvent({ type: 'model_select', model: this.#current, previousModel, source });
  }
}
