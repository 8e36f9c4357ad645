// The hall: whether the project counts, decided before a byte of it is read. In the way of every start, so it does little.
import { Fault } from '../../base/index.ts';
import type { TrustDecision, TrustQuestion } from './decision.ts';

const OPEN: TrustDecision = { trusted: false, because: 'open' };

export async function decideTrust(question: TrustQuestion): Promise<TrustDecision> {
  const { files, agentDirectory, trust, noTrust } = question;
  if (trust && noTrust) throw new Fault('config', '--trust and --no-trust exclude each other.');
  if (trust || noTrust) return { trusted: Boolean(trust), because: 'said' };
  try {
    // Most users have decided about no project: one look, and nothing more is loaded.
    if (!(await files.info(`${agentDirectory}/trust.json`))) return OPEN;
    return await (await import('./remembered.ts')).remembered(question);
  } catch (thrown) {
    const { sentenceOf } = await import('../../base/system-error.ts');
    const sentence = sentenceOf(thrown).replace(/\.?$/, '.');
    return { ...OPEN, problem: `${sentence} Until then no project is trusted.` };
  }
}
