// Decodes character references of HTML in markdown text, without parsing HTML. Pure.

const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™' },
  ...{ hellip: '…', mdash: '—', ndash: '–', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»' },
  ...{ times: '×', divide: '÷', plusmn: '±', deg: '°', micro: 'µ', middot: '·', bull: '•', sect: '§', para: '¶' },
  ...{ larr: '←', uarr: '↑', rarr: '→', darr: '↓', harr: '↔', rArr: '⇒', lArr: '⇐', hArr: '⇔', check: '✓' },
  ...{ le: '≤', ge: '≥', ne: '≠', asymp: '≈', equiv: '≡', infin: '∞', radic: '√', sum: '∑', prod: '∏', minus: '−' },
  ...{ alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', lambda: 'λ', mu: 'μ', pi: 'π', sigma: 'σ', omega: 'ω' },
  ...{ euro: '€', pound: '£', yen: '¥', cent: '¢', szlig: 'ß', auml: 'ä', ouml: 'ö', uuml: 'ü', eacute: 'é' },
  ...{ frac12: '½', frac14: '¼', frac34: '¾', sup2: '²', sup3: '³', thinsp: '\u2009', ensp: '\u2002', emsp: '\u2003' },
};

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,31}));/g;

/** Unknown names stay as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    const isValid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isValid ? String.fromCodePoint(code) : '\ufffd';
  });
}
