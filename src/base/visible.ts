// Text as a person must see it who decides about it. Pure.

/** Controls, marks that change the direction of other letters, and everything else that takes no place on a screen. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Every character that is not seen, or changes how others are seen, as JSON escapes it: `\u202e`. */
export function visible(text: string): string {
  return text.toWellFormed().replace(HIDDEN, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
