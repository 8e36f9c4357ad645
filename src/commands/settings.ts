// Commands that describe, show and change settings. Results never contain a key.
import { array, boolean, object, optional, picklist, record, string, unknown } from 'valibot';
import { command } from '../contracts/index.ts';
import { recordParam } from './record-param.ts';

const scope = picklist(['user', 'project', 'session']);
const settings = record(string(), unknown());

const scopedSettings = object({
  user: optional(object({ file: string(), settings })),
  project: optional(object({ file: string(), trusted: boolean(), settings })),
  session: optional(object({ settings })),
  effective: optional(
    record(
      string(),
      object({
        value: optional(unknown()),
        source: picklist(['default', 'flag', 'start', 'user', 'project', 'session']),
        nextValue: optional(unknown()),
      }),
    ),
  ),
});

export const getSettingsSchema = command({
  name: 'get_settings_schema',
  stability: 'experimental',
  doc: 'Every setting with its sentence, its JSON Schema and its default. `restricts`: it forbids or limits something. `project`: whether the value of a trusted project replaces that of the user, can only restrict it, or is ignored. `session`: whether set_settings can change it in an open session.',
  lane: 'now',
  long: true,
  access: 'read',
  params: object({}),
  result: object({
    settings: array(
      object({
        name: string(),
        doc: string(),
        schema: settings,
        default: optional(unknown()),
        restricts: boolean(),
        project: picklist(['replaces', 'restricts', 'ignored']),
        session: boolean(),
      }),
    ),
  }),
  run: async (_, { loadPorts }) => ({ settings: [...(await (await loadPorts()).settings.describe())] }),
});

export const getSettings = command({
  name: 'get_settings',
  stability: 'experimental',
  doc: 'The settings of one scope, by their names: `user` and `project` are files, `session` are the changes by set_settings. Without `scope` all of them, and in `effective` the values in effect with their source. `flag`: the command line. `start`: given when the session started, by the program that started it or by a file that has changed since. `nextValue` is the value in a session that is opened now, if it is another one. The file of a project that is not trusted is not read. Values with the name of a secret are left out.',
  lane: 'now',
  long: true,
  access: 'read',
  params: object({ scope: optional(scope) }),
  result: scopedSettings,
  examples: [{ scope: 'session' }],
  run: async (params, { loadPorts }) => (await loadPorts()).settings.read(params.scope),
});

export const setSettings = command({
  name: 'set_settings',
  stability: 'experimental',
  doc: 'Change settings of one scope, and remove those in `remove` from it. `user` and `project` write the file, which counts for sessions that are opened later; the project must be trusted, and cannot loosen what the user restricts. `session` applies from the next use on and ends with the process, except on a server, where it belongs to the session; settings that need a new session are refused by name, and those that restrict can only be made stricter, except `approval`, which works like set_permission_mode. One refused value refuses all.',
  lane: 'ordered',
  params: object({ scope, settings: optional(recordParam(), {}), remove: optional(array(string()), []) }),
  result: scopedSettings,
  examples: [{ scope: 'session', settings: { 'retry.maxRetries': 5 } }],
  run: async (change, { loadPorts }) => (await loadPorts()).settings.save(change),
});
