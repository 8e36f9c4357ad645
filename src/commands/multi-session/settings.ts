// Commands for the user settings. Results never contain a key.
import { object, record, string, unknown } from 'valibot';
import { command } from '../../contracts/index.ts';

const settings = record(string(), unknown());

export const getSettings = command({
  name: 'get_settings',
  doc: 'The contents of the user settings file, without API keys.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ settings }),
  run: async (_, { pool }) => ({ settings: await pool.readSettings() }),
});

export const saveSettings = command({
  name: 'save_settings',
  doc: 'Change some of the user settings; the others stay as they are. An API key of a provider is saved with the credentials, not in the settings file.',
  lane: 'ordered',
  params: object({ settings }),
  result: object({ settings }),
  async run({ settings: changes }, { pool }) {
    await pool.saveSettings(changes);
    return { settings: await pool.readSettings() };
  },
});
