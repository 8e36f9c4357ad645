// The features of a session whose host does not choose them.
import type { SessionFeatures } from '../../contracts/index.ts';

export const DEFAULT_FEATURES: SessionFeatures = { subAgents: true, skills: true, mcp: true };
