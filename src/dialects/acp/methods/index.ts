// The requests of ACP that the dialect supports, by name.
import type { AcpMethod } from '../method.ts';
import { authMethods } from './auth.ts';
import { configMethods } from './config.ts';
import { initializeMethods } from './initialize.ts';
import { promptMethods } from './prompt.ts';
import { sessionMethods } from './sessions.ts';

export const ACP_METHODS: ReadonlyMap<string, AcpMethod> = new Map(
  Object.entries({ ...initializeMethods, ...authMethods, ...sessionMethods, ...promptMethods, ...configMethods }),
);
