// Process that saves keys. Arguments: directory, name, count.
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createAuthFile } from '../../../src/llm/credentials/auth-file.ts';

const [directory = '', name = '', count = '1'] = process.argv.slice(2);
const { files, clock, ids } = createSystemPorts();
const auth = createAuthFile({ files, clock, ids, directory, platform: process.platform, warn: () => {} });
for (let n = 0; n < Number(count); n += 1) {
  await auth.update(`${name}-${n}`, async () => ({ type: 'api_key', key: `sk-${name}-${n}` }));
}
