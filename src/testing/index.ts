// Table of contents: what one tests a host, a tool or an extension with. Nothing in src imports it.
export { createCountingIds } from './counting-ids.ts';
export { createFakeClock, type FakeClock } from './fake-clock.ts';
export { playScenario } from './scenario.ts';
export type { ScenarioOptions } from './scenario-stage.ts';
export {
  createScriptedModels,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedModels,
  type ScriptedOptions,
  type ScriptStep,
  scriptedModel,
} from './scripted-model.ts';
export { createScriptedTools, type ScriptedTool, type ScriptedTools } from './scripted-tool.ts';
