// The hall, doctor: which models can be used, and with whose keys. Asks no provider, runs no command and shows no key.
import { messageOf } from '../../base/index.ts';
import { failedPath, sentenceOf } from '../../base/system-error.ts';
import type { Ports } from '../../contracts/index.ts';
import { modelsFor } from '../models.ts';
import type { SettingValues } from '../settings-table.ts';
import { error, type Finding, ok, warning } from './finding.ts';

interface Surroundings {
  readonly ports: Ports;
  readonly agentDirectory: string;
  readonly settings: SettingValues;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const NO_KEY =
  'Set a provider’s variable, for example ANTHROPIC_API_KEY, or write its key to auth.json; see README.md.';

export async function checkModels(options: Surroundings): Promise<Finding[]> {
  const complaints: string[] = [];
  const models = modelsFor({ ...options, warn: (sentence) => void complaints.push(sentence) });
  const keys = await attempt('keys', async () => {
    const available = await models.available();
    const providers = [...new Set(available.map(({ provider }) => provider))].filter((name) => name !== 'parley');
    if (providers.length === 0) return warning('keys', 'no provider has a key; only the offline model answers', NO_KEY);
    return ok('keys', providers.join(', '));
  });
  const model = await attempt('model', async () => {
    const first = await models.initial();
    if (!first) return error('model', `no model can be used. ${models.absence ?? ''}`.trimEnd(), NO_KEY);
    await models.ready(first);
    return ok('model', `${first.provider}/${first.id}, of ${(await models.available()).length} that can be used`);
  });
  const files = [...new Set(complaints)].map((complaint) =>
    error('models', complaint, `Mend the file that is named; it lies in ${options.agentDirectory}.`),
  );
  return [keys, model, ...files];
}

async function attempt(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (thrown) {
    if (failedPath(thrown) !== undefined)
      return error(check, sentenceOf(thrown), 'Give yourself the right to read it.');
    const mend = 'Choose another with `parley config set defaultModel NAME`; `parley --list-models` shows them.';
    return error(check, messageOf(thrown), mend);
  }
}
