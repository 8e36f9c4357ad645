// Public API for tests of hosts, tools and extensions. Not imported by other code in src.
export { createCountingIds } from './counting-ids.ts';
export { createFakeClock, type FakeClock } from './fake-clock.ts';
export { runScenario } from './run-scenario.ts';
export type { ScenarioOptions } from './scenario-runner.ts';
export {
  createScriptedModels,
  type ScriptedAnswer,
  type ScriptedModels,
  type ScriptedModelsOptions,
  type ScriptedToolCall,
  type ScriptStep,
  scriptedModel,
} from './scripted-models.ts';
export { createScriptedTools, type ScriptedTool, type ScriptedTools } from './scripted-tools.ts';
