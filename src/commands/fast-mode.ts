// The command that selects the faster processing tier of a provider.
import { boolean, object } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';

export const setFastMode = command({
  name: 'set_fast_mode',
  stability: 'experimental',
  doc: 'Use the faster processing tier of the provider from the next request on, or the usual one. It costs more. `active` is false while the current model does not support it.',
  lane: 'ordered',
  params: object({ enabled: boolean() }),
  result: object({ enabled: boolean(), active: boolean() }),
  examples: [{ enabled: false }],
  async run({ enabled }, { session: { models } }) {
    if (enabled && !models.supportsFastMode)
      throw new Fault('refused', 'Fast mode is unavailable for the current model.');
    models.fastMode = enabled;
    return { enabled, active: enabled && models.supportsFastMode };
  },
});
