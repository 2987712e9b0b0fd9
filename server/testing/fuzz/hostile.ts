/** Texts that have broken something somewhere: in a database, a parser, a template or a log. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfff',
  '\u202e\u200b',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '%00',
  '%',
  "'; drop table spans; --",
  '<script>alert(1)</script>',
  '${input.x}',
  '-1',
  '1e999',
  '9999999999999999999999',
  '0000-00-00T00:00:00.000Z',
  '+275760-09-13T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  'https://[fe80::1%25eth0]/x',
  'https://user:password@host.example/',
  'a'.repeat(5000),
  '\u{1f600}'.repeat(500),
  '('.repeat(500),
  '*a',
]

export const hostileValues: readonly unknown[] = [
  ...hostileTexts,
  null,
  true,
  0,
  -1,
  1.5,
  -0,
  2 ** 31,
  2 ** 53,
  1e21,
  1e308,
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  { json: {} },
  nested(99),
  nested(150),
  Array.from({ length: 2000 }, () => 0),
]

function nested(levels: number): unknown {
  let value: unknown = 0
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

/** Manifests that are short and mean something else than they seem to. */
export const hostileManifests: readonly string[] = [
  'a: &a [*a]',
  'name: x\na: &a {b: *a}',
  'name: x\na: &a [&b [*a, *b]]',
  'name: x\n<<: &a {<<: *a}',
  'name: "\\0"',
  'name: "\\ud800"',
  'name: x\n---\nname: y',
  '!!js/function name: x',
  `name: x\nx: ${'['.repeat(1000)}`,
  `name: x\nspec: {inputs: [${'1,'.repeat(9000)}1]}`,
  'name: x\nspec: {tools: [{mcp: {server: "https://[fe80::1%25eth0]/x"}}]}',
  'name: x\nspec: {runtime: {http: {url: "https://user:password@host.example/"}}}',
  'name: x\n? {a: 1}\n: 2',
]
