// Characters that stand for a pasted text in a draft: Unicode noncharacters, which no text contains.

export const FIRST_PLACEHOLDER = 0xfdd0;
export const PLACEHOLDER_COUNT = 32;

export function isPlaceholder(character: string): boolean {
  const code = character.charCodeAt(0) - FIRST_PLACEHOLDER;
  return code >= 0 && code < PLACEHOLDER_COUNT;
}
