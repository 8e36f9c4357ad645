// First floor, commands: the user's own settings. What is read never holds a key.
import { object, record, string, unknown } from 'valibot';
import { command } from '../../contracts/index.ts';

const settings = record(string(), unknown());

export const getSettings = command({
  name: 'get_settings',
  doc: 'The user’s settings as their file has them, without keys.',
  lane: 'now',
  long: true,
  params: object({}),
  result: object({ settings }),
  run: async (_, { desk }) => ({ settings: await desk.settings() }),
});

export const saveSettings = command({
  name: 'save_settings',
  doc: 'Change some of the user’s settings and leave the others. A key for a provider goes where keys are kept.',
  lane: 'ordered',
  params: object({ settings }),
  result: object({ settings }),
  async run({ settings: changes }, { desk }) {
    await desk.saveSettings(changes);
    return { settings: await desk.settings() };
  },
});
