// Builds the verification plan from the call's `verify` argument, the profiles and the settings. Pure.
import { Fault, isRecord } from '../../base/index.ts';
import type { TaskRequest, VerifyRequest } from '../../contracts/index.ts';
import type { VerificationOnFailure, VerificationResult } from '../../protocol/index.ts';
import type { SubagentSettings, VerificationProfile } from './spawner.ts';

export interface VerificationCommand {
  readonly name: string;
  readonly command: string;
  readonly timeoutMs: number | undefined;
  readonly optional: boolean;
}

export interface VerificationPlan {
  readonly profile: string | undefined;
  readonly commands: readonly VerificationCommand[];
  readonly onFailure: VerificationOnFailure;
  /** How many times failed work may be repaired. */
  readonly maxRetries: number;
}

type VerificationSettings = SubagentSettings['verification'];

/** `undefined` when no verification is needed. Throws a Fault whose message becomes the result of the call. */
export function planVerification(request: TaskRequest, settings: VerificationSettings): VerificationPlan | undefined {
  const { isolated, verify } = request;
  if (verify === false || (verify === undefined && !isolated)) return undefined;
  if (!isolated) {
    throw createRefusal('Verification requires isolated task execution. Pass isolated: true or disable verify.');
  }
  if (verify === undefined && !(settings.enabled && settings.requireForIsolated)) return undefined;
  const inlineRequest: VerifyRequest = typeof verify === 'object' ? verify : {};
  const profileName =
    (typeof verify === 'string' ? verify.trim() : inlineRequest.profile?.trim()) || settings.defaultProfile.trim();
  if (profileName === '' && inlineRequest.commands === undefined && inlineRequest.mode !== 'none') {
    throw createRefusal('Verification requested but no verification profile or commands were provided.');
  }
  const merged = { ...getProfile(profileName, settings), ...pickDefined(inlineRequest) };
  return createPlan(merged, profileName || undefined, settings);
}

function getProfile(name: string, settings: VerificationSettings): VerificationProfile {
  if (name === '') return {};
  const profile = Object.hasOwn(settings.profiles, name) ? settings.profiles[name] : undefined;
  if (isRecord(profile)) return profile;
  throw createRefusal(`Unknown or invalid verification profile "${name}".`);
}

/** Fields of the call override those of the profile. The list of commands is replaced as a whole. */
function pickDefined({ profile: _, ...fields }: VerifyRequest): VerificationProfile {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function createPlan(
  merged: VerificationProfile,
  profile: string | undefined,
  settings: VerificationSettings,
): VerificationPlan | undefined {
  if (merged.mode === 'none') return undefined;
  if (merged.mode === 'lsp' || merged.mode === 'profile' || merged.lspDiagnostics) {
    throw createRefusal('LSP-based task verification is not implemented yet. Use command checks for now.');
  }
  const commands = (merged.commands ?? []).flatMap(parseCommand);
  if (commands.length === 0) {
    throw createRefusal(
      'Verification requires at least one command. Provide verify.commands or configure task.verification.profiles.',
    );
  }
  const { onFailure = 'return_failure', maxRetries = settings.maxRetries } = merged;
  return { profile, commands, onFailure, maxRetries };
}

/** Ignores an entry without a name or a command. */
function parseCommand(raw: unknown): VerificationCommand[] {
  if (!isRecord(raw) || typeof raw.name !== 'string' || typeof raw.command !== 'string') return [];
  const [name, command] = [raw.name.trim(), raw.command.trim()];
  if (name === '' || command === '') return [];
  const timeoutMs = typeof raw.timeoutMs === 'number' && raw.timeoutMs > 0 ? raw.timeoutMs : undefined;
  return [{ name, command, timeoutMs, optional: raw.optional === true }];
}

/** The result of a verification in which no command has run. */
export function createUnverifiedResult(plan: VerificationPlan, status: 'skipped' | 'failed'): VerificationResult {
  return {
    requested: true,
    ...(plan.profile === undefined ? {} : { profile: plan.profile }),
    mode: 'command',
    status,
    attempts: [],
    retriesUsed: 0,
    onFailure: plan.onFailure,
  };
}

function createRefusal(message: string): Fault {
  return new Fault('refused', message);
}
