// Checks the default model of the settings before it is saved.
import { Fault } from '../base/index.ts';
import type { Credentials } from '../llm/index.ts';
import { findProvider } from '../llm/providers/providers.ts';
import { selectModel } from '../llm/select-model.ts';
import { createAgentModels } from './agent-models.ts';
import type { AgentOptions } from './agent-options.ts';

/**
 * Chooses the model as the next start will do. A model that cannot be checked is accepted: the provider lists its models only after
 * a login, or the user's own model server is not running.
 */
export async function checkDefaultModel(
  common: AgentOptions,
  credentials: Credentials,
  requested: { provider: string | undefined; model: string },
): Promise<void> {
  const needsLogin = findProvider(requested.provider ?? '')?.listFormat === 'copilot';
  if (needsLogin && !(await credentials.readSnapshot()).hasCredential(requested.provider ?? '')) return;
  const { models } = common;
  const choose = async () => {
    if (models) return selectModel(await models.listAvailable(), requested);
    return createAgentModels({
      ...common,
      ...requested,
      apiKey: undefined,
      modelPatterns: undefined,
      warn: undefined,
    }).chooseInitial();
  };
  await choose().catch((thrown: unknown) => {
    if (!(thrown instanceof Fault && thrown.code === 'not_found')) return;
    throw new Fault('invalid_params', `defaultModel: ${thrown.message}`);
  });
}
