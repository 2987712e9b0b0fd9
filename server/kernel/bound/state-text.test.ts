import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime } from '#server/testing/tenant.ts'
import { rowText, valuesText } from './state-text-store.ts'
import type { BoundType } from './types.ts'

// Whether the text by which a row is known again differs exactly when the text differs of which its state is made.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
})
afterAll(() => running.close())

const bound: BoundType = { type: 'sample', table: 'samples', key: [['id', 'uuid']], plain: [], times: [], locks: false }

/** Both texts of a row with each value in one column. */
async function textsOf(form: Partial<BoundType>, kind: string, values: readonly (string | null)[]) {
  const type = { ...bound, ...form }
  const owner = await connectAsOwner(running)
  try {
    const { rows } = await owner.query<{ row: string; values: string }>(
      `select ${rowText(type)} as row, ${valuesText(type)} as values
       from unnest($1::text[]) with ordinality as given (value, place),
         lateral (select '0198c000-0000-7000-8000-00000000000a'::uuid as tenant_id, '0198c000-0000-7000-8000-00000000000b'::uuid as id, value::${kind} as value) r,
         (select 1 as form, 1 as revision, '\\x01'::bytea as digest, null::uuid as audit_id, '\\x02'::bytea as mac) b
       order by place`,
      [values],
    )
    return rows
  } finally {
    await owner.end()
  }
}

const kindsOf = (texts: readonly string[]): number[] => texts.map((text) => texts.indexOf(text))

test('encrypted content is known again by what its commitment depends on', async () => {
  const salted = `04${'aa'.repeat(36)}`
  const keyed = `05${'bb'.repeat(32)}`
  const hex = [
    salted,
    `${salted}00`,
    `${salted}01`,
    `04${'aa'.repeat(35)}ab`,
    `04${'aa'.repeat(35)}`,
    `04ab${'aa'.repeat(35)}`,
    keyed,
    `${keyed}00`,
    `05${'bb'.repeat(31)}bc`,
    `05${'bb'.repeat(31)}`,
    `03${'aa'.repeat(36)}`,
    '04',
    '',
  ]
  const rows = await textsOf({ content: ['value'] }, 'bytea', [...hex.map((one) => `\\x${one}`), null])
  // What follows the commitment of salted content is not part of it; nor are the four bytes before it, and they are compared all the same.
  expect(kindsOf(rows.map(({ values }) => values))).toEqual([0, 0, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
  for (const [at, { row, values }] of rows.entries())
    for (const other of rows.slice(at + 1)) if (other.values === values) expect(other.row).toBe(row)
})

test.each<[Partial<BoundType>, string, (string | null)[]]>([
  [
    { times: ['value'] },
    'timestamptz',
    [
      '2026-11-20T10:00:00.001Z',
      '2026-11-20T10:00:00.002Z',
      '2026-11-20T10:00:00.001+01:00',
      'infinity',
      '-infinity',
      null,
    ],
  ],
  [{ micros: ['value'] }, 'timestamptz', ['2026-11-20T10:00:00.000001Z', '2026-11-20T10:00:00.000002Z', null]],
  [{ large: ['value'] }, 'bigint', ['9007199254740992', '9007199254740993', null]],
  [{ plain: ['value'] }, 'text', ['', 'null', '"', '\\', '1', null]],
  [{ plain: ['value'] }, 'jsonb', ['{"a": 1}', '{"a": "1"}', '[]', '12345678901234567890', '12345678901234567891']],
  [{ plain: ['value'] }, 'text[]', ['{}', '{a,b}', '{"a,b"}', null]],
])('other values have other texts: %o, %s', async (form, kind, values) => {
  const rows = await textsOf(form, kind, values)
  const each = values.map((_, index) => index)
  expect(kindsOf(rows.map(({ row }) => row))).toEqual(each)
  expect(kindsOf(rows.map((one) => one.values))).toEqual(each)
})
