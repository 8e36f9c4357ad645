// Decides about tool calls by the rules of the setting `permissions` and the approval policy. Loaded when there is something to decide.
export { checkPermission } from './check-permission.ts';
export { createDeniedPaths } from './denied-paths.ts';
export type {
  CallToCheck,
  PermissionContext,
  PermissionResult,
  PermissionRules,
  RuleScope,
  ScopedRule,
} from './permission-check.ts';
export { proposeRules } from './propose-rules.ts';
export { parseRule, type Rule } from './rule.ts';
