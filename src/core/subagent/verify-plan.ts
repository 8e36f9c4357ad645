// First floor, core: what `verify` means: from the call, the profiles and the settings to a list of commands. Pure.
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
  /** How often failed work may be repaired. */
  readonly maxRetries: number;
}

type Settings = SubagentSettings['verification'];

/** `undefined` when nothing is to be verified. Throws a Fault whose sentence is the answer to the call. */
export function planVerification(request: TaskRequest, settings: Settings): VerificationPlan | undefined {
  const { isolated, verify } = request;
  if (verify === false || (verify === undefined && !isolated)) return undefined;
  if (!isolated) {
    throw refusal('Verification requires isolated task execution. Pass isolated: true or disable verify.');
  }
  if (verify === undefined && !(settings.enabled && settings.requireForIsolated)) return undefined;
  const inline: VerifyRequest = typeof verify === 'object' ? verify : {};
  const named = (typeof verify === 'string' ? verify.trim() : inline.profile?.trim()) || settings.defaultProfile.trim();
  if (named === '' && inline.commands === undefined && inline.mode !== 'none') {
    throw refusal('Verification requested but no verification profile or commands were provided.');
  }
  const merged = { ...profileOf(named, settings), ...given(inline) };
  return planOf(merged, named || undefined, settings);
}

function profileOf(name: string, settings: Settings): VerificationProfile {
  if (name === '') return {};
  const profile = Object.hasOwn(settings.profiles, name) ? settings.profiles[name] : undefined;
  if (isRecord(profile)) return profile;
  throw refusal(`Unknown or invalid verification profile "${name}".`);
}

/** What was said in the call, field by field; the list of commands is one field. */
function given({ profile: _, ...fields }: VerifyRequest): VerificationProfile {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function planOf(
  merged: VerificationProfile,
  profile: string | undefined,
  settings: Settings,
): VerificationPlan | undefined {
  if (merged.mode === 'none') return undefined;
  if (merged.mode === 'lsp' || merged.mode === 'profile' || merged.lspDiagnostics) {
    throw refusal('LSP-based task verification is not implemented yet. Use command checks for now.');
  }
  const commands = (merged.commands ?? []).flatMap(commandOf);
  if (commands.length === 0) {
    throw refusal(
      'Verification requires at least one command. Provide verify.commands or configure task.verification.profiles.',
    );
  }
  const { onFailure = 'return_failure', maxRetries = settings.maxRetries } = merged;
  return { profile, commands, onFailure, maxRetries };
}

/** What has no name or nothing to run is passed over. */
function commandOf(raw: unknown): VerificationCommand[] {
  if (!isRecord(raw) || typeof raw.name !== 'string' || typeof raw.command !== 'string') return [];
  const [name, command] = [raw.name.trim(), raw.command.trim()];
  if (name === '' || command === '') return [];
  const timeoutMs = typeof raw.timeoutMs === 'number' && raw.timeoutMs > 0 ? raw.timeoutMs : undefined;
  return [{ name, command, timeoutMs, optional: raw.optional === true }];
}

/** What is known of a verification before anything was run. */
export function unverified(plan: VerificationPlan, status: 'skipped' | 'failed'): VerificationResult {
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

function refusal(sentence: string): Fault {
  return new Fault('refused', sentence);
}
