// Makes invisible characters visible in texts that a user must approve.

/** Control characters, bidirectional marks and all other characters without a visible glyph. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Replaces every invisible character with its JSON escape, for example `\u202e`. */
export function escapeInvisible(text: string): string {
  return text.toWellFormed().replace(INVISIBLE, toUnicodeEscape);
}

function toUnicodeEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
