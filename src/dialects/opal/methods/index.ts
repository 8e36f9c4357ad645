// The methods of Opal and the commands that they call.
import type { OpalMethod } from '../method.ts';
import { agentMethods } from './agent.ts';
import { authMethods } from './auth.ts';
import { configMethods } from './config.ts';
import { modelMethods } from './models.ts';
import { sessionMethods } from './sessions.ts';
import { settingsMethods } from './settings.ts';

/** A Map, so that a name such as `constructor` does not find a property of Object.prototype. */
export const OPAL_METHODS: ReadonlyMap<string, OpalMethod> = new Map(
  Object.entries({
    ...sessionMethods,
    ...agentMethods,
    ...modelMethods,
    ...settingsMethods,
    ...authMethods,
    ...configMethods,
  }),
);
