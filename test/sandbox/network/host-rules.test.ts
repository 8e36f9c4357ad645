// Which hosts the rules of sandbox.allowedHosts allow, for many spellings of names and addresses.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAllowListPolicy } from '../../../src/sandbox/network/allow-list-policy.ts';
import { parseHost, parseHostRules } from '../../../src/sandbox/network/host-rules.ts';
import { findSpecialUse } from '../../../src/sandbox/network/ip-address.ts';

function isAllowed(rules: readonly string[], host: string, port = 443): boolean {
  return createAllowListPolicy(rules).checkTarget({ host, port }) === undefined;
}

test.each([
  ['example.com', 'example.com', 443],
  ['example.com', 'example.com', 80],
  ['example.com', 'EXAMPLE.COM', 443],
  ['Example.Com', 'example.com', 443],
  ['example.com', 'example.com.', 443],
  ['example.com.', 'example.com', 443],
  ['example.com:8443', 'example.com', 8443],
  ['example.com:443', 'example.com', 443],
  ['*.example.com', 'a.example.com', 443],
  ['*.example.com', 'a.b.example.com', 443],
  ['*.example.com', 'A.Example.com.', 443],
  ['*.example.com:8080', 'a.example.com', 8080],
  ['bücher.example', 'xn--bcher-kva.example', 443],
  ['xn--bcher-kva.example', 'XN--BCHER-KVA.example', 443],
  ['xn--bcher-kva.example', 'bücher.example', 443],
  ['*.bücher.example', 'www.xn--bcher-kva.example', 443],
  ['ＥＸＡＭＰＬＥ.com', 'example.com', 443],
  ['registry', 'registry', 80],
  ['a_b.example.com', 'a_b.example.com', 443],
  ['r3---sn.example.com', 'r3---sn.example.com', 443],
  ['localhost', 'localhost', 80],
  ['localhost:5000', 'LOCALHOST', 5000],
  ['127.0.0.1', '127.0.0.1', 80],
  ['10.1.2.3:8081', '10.1.2.3', 8081],
  ['[::1]', '[::1]', 80],
  ['::1', '[::1]', 80],
  ['[::1]:8080', '[0:0:0:0:0:0:0:1]', 8080],
  ['[2001:db8::1]', '[2001:DB8:0::0001]', 443],
  ['::ffff:127.0.0.1', '[::ffff:7f00:1]', 443],
])('%s allows %s, port %d', (rule, host, port) => {
  expect(isAllowed([rule], host, port)).toBe(true);
});

test.each([
  ['example.com', 'example.com', 8080],
  ['example.com', 'example.com', 22],
  ['example.com:8443', 'example.com', 443],
  ['example.com', 'example.com.evil.test', 443],
  ['example.com', 'evil-example.com', 443],
  ['example.com', 'notexample.com', 443],
  ['example.com', 'a.example.com', 443],
  ['example.com', 'example.co', 443],
  ['example.com', 'example.comm', 443],
  ['example.com', 'examplecom', 443],
  ['example.com', 'exampleXcom', 443],
  ['example.com', 'example.com..', 443],
  ['example.com', '.example.com', 443],
  ['example.com', 'example..com', 443],
  ['example.com', '', 443],
  ['example.com', '.', 443],
  ['example.com', 'example.com ', 443],
  ['example.com', ' example.com', 443],
  ['example.com', 'example.com\t', 443],
  ['example.com', 'example.com\n', 443],
  ['example.com', 'example.com\r\nHost: evil.test', 443],
  ['example.com', 'example.com\0', 443],
  ['example.com', 'example.com\0.evil.test', 443],
  ['example.com', 'evil.test\0example.com', 443],
  ['example.com', 'example.com%00.evil.test', 443],
  ['example.com', 'example%2ecom', 443],
  ['example.com', 'evil.test%2f.example.com', 443],
  ['example.com', 'evil.test#example.com', 443],
  ['example.com', 'example.com#evil.test', 443],
  ['example.com', 'example.com?evil.test', 443],
  ['example.com', 'example.com/evil.test', 443],
  ['example.com', 'example.com\\evil.test', 443],
  ['example.com', 'example.com@evil.test', 443],
  ['example.com', 'evil.test@example.com', 443],
  ['example.com', 'user:pass@example.com', 443],
  ['example.com', 'example.com:80', 443],
  ['example.com', '[example.com]', 443],
  ['example.com', 'example.com]', 443],
  ['example.com', 'exаmple.com', 443], // Cyrillic а
  ['example.com', 'xn--exmple-4nf.com', 443],
  ['example.com', 'xn--a', 443],
  ['example.com', '*.example.com', 443],
  ['example.com', '*', 443],
  ['example.com', 'localhost', 443],
  ['example.com', '93.184.216.34', 443],
  ['*.example.com', 'example.com', 443],
  ['*.example.com', '.example.com', 443],
  ['*.example.com', 'evilexample.com', 443],
  ['*.example.com', 'a.example.com.evil.test', 443],
  ['*.example.com', 'a.example.com', 8080],
  ['*.example.com', 'evil.test/.example.com', 443],
  ['*.example.com', 'evil.test?.example.com', 443],
  ['*.example.com', 'evil.test#.example.com', 443],
  ['*.example.com', 'evil.test\\.example.com', 443],
  ['*.example.com', 'evil.test\0.example.com', 443],
  ['*.example.com', 'evil.test\r\n.example.com', 443],
  ['*.example.com', 'evil.test%00.example.com', 443],
  ['*.example.com', 'evil.test:80.example.com', 443],
  ['*.example.com', 'evil.test@a.example.com', 443],
  ['*.example.com', '..example.com', 443],
  ['*.example.com', '*.example.com', 443],
  ['*.com', 'com', 443],
  ['localhost', '127.0.0.1', 80],
  ['localhost', 'localhost.evil.test', 80],
  ['localhost', 'a.localhost', 80],
  ['localhost', 'localhost6', 80],
  ['localhost', '[::1]', 80],
  ['127.0.0.1', 'localhost', 80],
  ['127.0.0.1', '127.0.0.2', 80],
  ['127.0.0.1', '127.1', 80],
  ['127.0.0.1', '127.0.1', 80],
  ['127.0.0.1', '0x7f.1', 80],
  ['127.0.0.1', '0x7f000001', 80],
  ['127.0.0.1', '0X7F.0.0.1', 80],
  ['127.0.0.1', '2130706433', 80],
  ['127.0.0.1', '017700000001', 80],
  ['127.0.0.1', '0177.0.0.1', 80],
  ['127.0.0.1', '127.0.0.01', 80],
  ['127.0.0.1', '127.000.000.001', 80],
  ['127.0.0.1', '127.0.0.0x1', 80],
  ['127.0.0.1', '127.0.0.1.1', 80],
  ['127.0.0.1', '127.0.0.256', 80],
  ['127.0.0.1', '１２７.0.0.1', 80],
  ['127.0.0.1', '127。0。0。1', 80],
  ['127.0.0.1', '127.0.0.1.evil.test', 80],
  ['127.0.0.1', '[::ffff:127.0.0.1]', 80],
  ['127.0.0.1', '[127.0.0.1]', 80],
  ['127.0.0.1', '[::1]', 80],
  ['127.0.0.1', '0', 80],
  ['127.0.0.1', '0.0.0.0', 80],
  ['127.0.0.1', '0x', 80],
  ['[::1]', '::1', 80],
  ['[::1]', '[::1%lo]', 80],
  ['[::1]', '[::1%25lo]', 80],
  ['[::1]', '[::]', 80],
  ['[::1]', '[::2]', 80],
  ['[::1]', '[::1', 80],
  ['[::1]', '[[::1]]', 80],
  ['[::1]', '[::1]evil.test', 80],
  ['[::1]', '[]', 80],
  ['[::1]', '[:::1]', 80],
  ['[::1]', '[1::2::3]', 80],
])('%s does not allow %j, port %d', (rule, host, port) => {
  expect(isAllowed([rule], host, port)).toBe(false);
});

test.each([
  ...[
    '',
    ' ',
    '*',
    '*.',
    '**.example.com',
    'a.*.com',
    '*example.com',
    'ex*mple.com',
    'https://example.com',
    'example.com/',
  ],
  ...[
    'user@example.com',
    'example.com:0',
    'example.com:65536',
    'example.com:http',
    'example.com:*',
    'example.com:',
    ':80',
  ],
  ...[
    'a b',
    '.example.com',
    'a..b',
    '127.1',
    '0x7f.1',
    '*.127.0.0.1',
    '10.0.0.0/8',
    '2130706433',
    '[::1',
    '[example.com]',
  ],
  ...['::1%lo', 'xn--a', `${'a'.repeat(64)}.com`, `${'a.'.repeat(127)}com`, 'example.com:443:443', 'a\0b', '*.[::1]'],
])('the rule %j is refused', (rule) => {
  expect(() => parseHostRules(['example.com', rule])).toThrow(/^sandbox\.allowedHosts: ".*" is not a host\. Write/s);
});

describe('properties', () => {
  const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z])?$/);
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));

  test('a rule allows exactly its own name, in any case and with a final dot', () => {
    const rules = fc
      .tuple(name, name)
      .filter(([one, other]) => one !== other && !one.includes('xn--') && !other.includes('xn--'));
    fc.assert(
      fc.property(rules, ([one, other]) => {
        expect(isAllowed([one], one)).toBe(true);
        expect(isAllowed([one], `${one.toUpperCase()}.`)).toBe(true);
        expect(isAllowed([one], other)).toBe(false);
        expect(isAllowed([`*.${one}`], one)).toBe(false);
        expect(isAllowed([`*.${one}`], `${other}.${one}`)).toBe(true);
        expect(isAllowed([`*.${one}`], `${other}${one}`)).toBe(false);
      }),
    );
  });

  test('no text is allowed unless it is the listed name', () => {
    const text = fc.string({ unit: fc.constantFrom(...'example.com:/@\\%#?[]*\0\r\n 0x17f') });
    fc.assert(
      fc.property(text, (host) => {
        const normal = host.toLowerCase().replace(/\.$/, '');
        expect(isAllowed(['example.com'], host)).toBe(normal === 'example.com');
      }),
      { numRuns: 2_000 },
    );
  });

  test('every spelling of an IPv6 address is the same address', () => {
    const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, (parts) => {
        const short = parts.map((part) => part.toString(16)).join(':');
        const long = parts.map((part) => part.toString(16).padStart(4, '0').toUpperCase()).join(':');
        expect(parseHost(`[${long}]`)).toEqual(parseHost(`[${short}]`));
        expect(isAllowed([short], `[${long}]`)).toBe(true);
      }),
    );
  });

  test('an IPv4 address is special in every IPv6 form if it is special itself', () => {
    const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(bytes, (parts) => {
        const address = parts.join('.');
        const hex = (index: number) => (((parts[index] ?? 0) << 8) | (parts[index + 1] ?? 0)).toString(16);
        const isSpecial = findSpecialUse(address) !== undefined;
        for (const form of [`::ffff:${address}`, `64:ff9b::${address}`, `2002:${hex(0)}:${hex(2)}::1`]) {
          expect(findSpecialUse(form) !== undefined).toBe(isSpecial);
        }
      }),
    );
  });
});

describe('addresses of a listed name', () => {
  const check = (rules: string[], host: string, address: string, port = 80) =>
    createAllowListPolicy(rules).checkAddress({ host, port }, address);

  test.each([
    ...['127.0.0.1', '127.255.1.2', '0.0.0.0', '0.1.2.3', '169.254.169.254', '224.0.0.1', '239.1.1.1', '240.0.0.1'],
    ...[
      '255.255.255.255',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      '::',
      '::1',
      'fe80::1',
      'febf::1',
      'ff02::1',
    ],
    ...[
      '::ffff:127.0.0.1',
      '::ffff:169.254.169.254',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '::ffff:0:7f00:1',
    ],
    ...['fd00:ec2::254', 'fd20:ce::254', 'fe80::1%eth0', 'not an address', ''],
  ])('%s is refused', (address) => {
    expect(check(['a.test'], 'a.test', address)).toContain('sandbox.allowedHosts');
  });

  test.each([
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '8.8.8.8',
    'fd12::1',
    '2001:db8::1',
    '::ffff:10.0.0.1',
  ])('%s is allowed: servers of companies have private addresses', (address) => {
    expect(check(['a.test'], 'a.test', address)).toBeUndefined();
  });

  test('a loopback address needs a rule for localhost or for the address, with the port', () => {
    expect(check(['localhost'], 'localhost', '127.0.0.1')).toBeUndefined();
    expect(check(['localhost'], 'localhost', '::1')).toBeUndefined();
    expect(check(['localhost'], 'localhost', '169.254.169.254')).toContain('a link-local address');
    expect(check(['localhost', 'a.test'], 'a.test', '127.0.0.1')).toContain('a loopback address');
    expect(check(['a.test', '127.0.0.1'], 'a.test', '127.0.0.1')).toBeUndefined();
    expect(check(['a.test', '127.0.0.1:81'], 'a.test', '127.0.0.1')).toContain('a loopback address');
    expect(check(['a.test', '[fe80::1]'], 'a.test', 'fe80::1')).toBeUndefined();
  });
});

test('a refusal names the host and the rule that would allow it', () => {
  const { checkTarget, checkAddress } = createAllowListPolicy([]);
  expect(checkTarget({ host: 'a.test', port: 443 })).toBe(
    'a.test is not in sandbox.allowedHosts. Add "a.test" to this setting to allow it.',
  );
  expect(checkTarget({ host: 'a.test', port: 8080 })).toContain('Add "a.test:8080"');
  expect(checkTarget({ host: '127.1', port: 80 })).toContain('127.1 cannot be compared with sandbox.allowedHosts');
  expect(checkAddress({ host: 'a.test', port: 81 }, '::1')).toContain('Add "[::1]:81"');
});
