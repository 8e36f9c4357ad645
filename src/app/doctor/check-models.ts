// Checks which models can be used and which providers have keys. Sends no request to a provider, runs no command, prints no key.
import { getErrorMessage } from '../../base/index.ts';
import { describeSystemError, getFailedPath } from '../../base/system-error.ts';
import type { Ports } from '../../contracts/index.ts';
import type { SettingValues } from '../../settings/index.ts';
import { createAgentModels } from '../agent-models.ts';
import { error, type Finding, ok, warning } from './finding.ts';

interface CheckModelsOptions {
  readonly ports: Ports;
  readonly agentDirectory: string;
  readonly settings: SettingValues;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const NO_KEY_REMEDY =
  'Set an API key variable, for example ANTHROPIC_API_KEY, or add the key to auth.json; see README.md.';

export async function checkModels(options: CheckModelsOptions): Promise<Finding[]> {
  const warnings: string[] = [];
  const models = createAgentModels({ ...options, warn: (sentence) => void warnings.push(sentence) });
  const keys = await runCheck('keys', async () => {
    const available = await models.listAvailable();
    const providers = [...new Set(available.map(({ provider }) => provider))].filter((name) => name !== 'parley');
    if (providers.length === 0)
      return warning('keys', 'no provider has an API key; only the offline model is available', NO_KEY_REMEDY);
    return ok('keys', providers.join(', '));
  });
  const model = await runCheck('model', async () => {
    const first = await models.chooseInitial();
    if (!first) return error('model', `no model can be used. ${models.missingReason ?? ''}`.trimEnd(), NO_KEY_REMEDY);
    await models.requireCredentials(first);
    return ok('model', `${first.provider}/${first.id}, of ${(await models.listAvailable()).length} that can be used`);
  });
  const files = [...new Set(warnings)].map((problem) =>
    error('models', problem, `Fix the named file in ${options.agentDirectory}.`),
  );
  return [keys, model, ...files];
}

async function runCheck(check: string, act: () => Promise<Finding>): Promise<Finding> {
  try {
    return await act();
  } catch (thrown) {
    if (getFailedPath(thrown) !== undefined)
      return error(check, describeSystemError(thrown), 'Give your user read permission for it.');
    const remedy = 'Choose another model with `parley config set defaultModel NAME`; `parley models` lists them.';
    return error(check, getErrorMessage(thrown), remedy);
  }
}
