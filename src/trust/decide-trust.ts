// Decides whether a project is trusted, before any file of it is read. Runs at every start, so it must be fast.
import { Fault } from '../base/index.ts';
import type { DecideTrustOptions, TrustDecision } from './trust-decision.ts';

const UNDECIDED: TrustDecision = { trusted: false, reason: 'undecided' };

export async function decideTrust(options: DecideTrustOptions): Promise<TrustDecision> {
  const { files, agentDirectory, trust, noTrust } = options;
  if (trust && noTrust) throw new Fault('config', '--trust and --no-trust exclude each other.');
  if (trust || noTrust) return { trusted: Boolean(trust), reason: 'flag' };
  try {
    // Most users have no saved decision. Then nothing more is loaded.
    if (!(await files.info(`${agentDirectory}/trust.json`))) return UNDECIDED;
    return await (await import('./saved-decision.ts')).readSavedDecision(options);
  } catch (thrown) {
    const { describeSystemError } = await import('../base/system-error.ts');
    const sentence = describeSystemError(thrown).replace(/\.?$/, '.');
    return { ...UNDECIDED, problem: `${sentence} No project is trusted until this is fixed.` };
  }
}
