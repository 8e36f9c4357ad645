// First floor, commands: the provider that Opal calls by another name. Everybody else has the same one in both.

const OURS = 'github-copilot';
const THEIRS = 'copilot';

export function spokenProvider(provider: string): string {
  return provider === OURS ? THEIRS : provider;
}

export function meantProvider(name: string): string {
  return name === THEIRS ? OURS : name;
}
