// Commands for the user settings. Results never contain a key.
import { array, object, optional, record, string, unknown } from 'valibot';
import { command } from '../../contracts/index.ts';

const settings = record(string(), unknown());

export const getUserSettings = command({
  name: 'get_user_settings',
  doc: 'The contents of the user settings file, without API keys.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({ settings }),
  run: async (_, { userSettings }) => ({ settings: await userSettings.read() }),
});

export const saveUserSettings = command({
  name: 'save_user_settings',
  doc: 'Change or remove some of the user settings; the others stay as they are. `apiKeys` are saved with the credentials, by provider.',
  lane: 'ordered',
  params: object({ settings, remove: optional(array(string())), apiKeys: optional(record(string(), string())) }),
  result: object({ settings }),
  async run(changes, { userSettings }) {
    await userSettings.save(changes);
    return { settings: await userSettings.read() };
  },
});
