import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Card, Presentation } from '#lib/schemas/approvals.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { fillWordsOf } from '#server/approvals/words/fill-words.ts'
import { hashesToFind, wordsOf } from '#server/approvals/words/words.ts'
import { findWithWords } from '#server/approvals/words/words-store.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newTraceId } from '#server/kernel/ids.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { execute } from '#server/kernel/operation.ts'
import { createErasure } from '#server/privacy/create-erasure.ts'
import { erasures } from '#server/privacy/jobs.ts'
import { askForRefund } from '#server/testing/approval-request.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import { sized } from '#server/testing/properties/counts.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { startTrace } from '#server/traces/recording/record.ts'
import { find } from './find.ts'

// What a person finds by words and ids, on the real database.

let running: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let maria: Caller
let auditor: Caller
beforeAll(async () => {
  running = await testRuntime()
  await running.queue.work([expiry, { ...erasures, concurrency: 0 }])
  tenant = await testTenant(running)
  maria = await tenant.as('maria', { roles: ['developer', 'approver'] })
  auditor = await tenant.as('vera', { roles: ['auditor'] })
  await tenant.as('jonas', { roles: ['approver'], groups: ['refund-approvers'] })
})
afterAll(() => running.close())

const fact = (label: string, value: string | null): Card['facts'][number] => ({
  label,
  value,
  from: ['input'],
  ...(value === null && { masked: { class: 'sensitive', length: 12 } }),
})
const card = (...facts: Card['facts']): Pick<Presentation, 'card'> => ({ card: { title: null, facts, links: [] } })
const ask = async (title: string, shows: Partial<Presentation> = {}) =>
  (await askForRefund(tenant, maria, { shows: { title, ...shows } })).approvalId
const search = async (q: string, by = maria, more: object = {}) =>
  (await execute(find, by, { q, ...more }, { name: 'search.find' })).items
async function rowsOf(statement: string, values: unknown[] = []) {
  const owner = await connectAsOwner(running)
  const { rows } = await owner.query(statement, values)
  await owner.end()
  return rows
}
const approvals = async (q: string) => (await search(q, maria, { kinds: ['approval'] })).map(({ id }) => id)

describe('requests are found', () => {
  test('by words of the title, the resource and the facts, the newest first', async () => {
    const shows = card(fact('Customer', 'Elif Aydın (C-20418)'), fact('Claim', 'Broken windscreen'))
    const [first, second] = [
      await ask('Refund of €4,200.00 for order KM-1001', shows),
      await ask('Refund of €4,200.00 for order KM-1002', shows),
    ]
    expect(await approvals('KM-1001')).toEqual([first])
    expect(await approvals('km 1002')).toEqual([second])
    for (const q of ['elif', 'aydin', 'Windscreen KM', 'windscre', 'C-20418', '4200', '4,200.00', 'issue_refund km'])
      expect(await approvals(q), q).toEqual([second, first])
    for (const q of ['windscreens', 'elif berg', 'KM-1003', '420000']) expect(await approvals(q), q).toEqual([])
  })

  test('with the beginning of any word, at each length', async () => {
    const id = await ask('Übertragung an Kfz-Versicherung Nr. 7')
    const words = wordsOf('Übertragung Kfz Versicherung')
    expect(words).toEqual(['ubertragung', 'kfz', 'versicherung'])
    for (const word of words)
      for (let length = 3; length <= word.length; length++)
        expect(await approvals(word.slice(0, length)), word.slice(0, length)).toEqual([id])
  })

  test('not by masked facts, arguments or reasons', async () => {
    await ask('Refund of a hidden customer', {
      ...card(fact('Customer', null)),
      arguments: [{ path: 'note', value: 'xylophone' }],
      effects: ['A xylophone is paid.'],
    })
    expect(await approvals('xylophone')).toEqual([])
    expect(await approvals('sensitive')).toEqual([])
  })

  test('with more of them than the limit: the newest', async () => {
    const ids = []
    for (let index = 0; index < 6; index++) ids.push(await ask(`Quarterly payout ${index}`))
    const found = await search('quarterly', maria, { limit: 4 })
    expect(found.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 4))
    expect(found[0]).toMatchObject({ kind: 'approval', title: 'Quarterly payout 5', status: 'pending' })
  })

  test('no longer by what was erased, from the moment of the erasure', async () => {
    const subject = 'grace.hopper@mail.example'
    const id = await ask('Refund for the admiral', card(fact('Mail', subject), fact('Order', 'GH-77')))
    expect(await approvals('hopper')).toEqual([id])
    await asOwner(running, `update approvals set status = 'canceled', decided_at = now() where id = $1`, [id])
    const pia = await tenant.as('pia', { roles: ['privacy_officer'] })
    const { erasureId } = await execute(createErasure, pia, { subject, reason: 'Request 17.' }, { name: 'x' })
    await erasures.run({ tenantId: tenant.id, id: erasureId }, 0)
    const stored = () => rowsOf('select word from approval_words where approval_id = $1', [id])
    expect(await stored()).toEqual([{ word: 0 }])
    expect(await approvals('hopper')).toEqual([])
    await fillWordsOf(tenant.id)
    expect((await stored()).length).toBeGreaterThan(3)
    expect(await approvals('hopper')).toEqual([])
    expect(await approvals('admiral GH-77')).toEqual([id])
  })

  test('also those that an earlier version made, and despite one that can’t be decrypted', async () => {
    const [broken, id] = [await ask('Zebra one'), await ask('Zebra two')]
    await asOwner(running, 'delete from approval_words where approval_id = any($1)', [[broken, id]])
    await asOwner(running, `update approvals set presentation = '\\x0301' where id = $1`, [broken])
    await asOwner(
      running,
      'insert into approval_words (tenant_id, word, approval_id) select tenant_id, 0, id from approvals where id = $1',
      [id],
    )
    expect(await approvals('zebra')).toEqual([])
    await fillWordsOf(tenant.id)
    expect(await approvals('zebra')).toEqual([id])
  })
})

describe('anything is found by its id', () => {
  test('of a request, a trace and a record', async () => {
    const approvalId = await ask('Refund with an id')
    expect(await search(` ${approvalId.toUpperCase()} `, auditor)).toMatchObject([{ kind: 'approval', id: approvalId }])
    const traceId = newTraceId()
    await running.database.inTenant(tenant.id, (tx) =>
      startTrace(tx, tenant.id, { traceId, name: 'nightly-report', startedAt: new Date() }),
    )
    expect(await search(traceId, auditor)).toMatchObject([{ kind: 'trace', id: traceId, title: 'nightly-report' }])
    expect((await search('nightly', auditor)).map(({ id }) => id)).toEqual([traceId])
    const [record] = await rowsOf('select audit_id as id from audit_records where tenant_id = $1 limit 1', [tenant.id])
    expect(await search(record.id, auditor)).toMatchObject([{ kind: 'record', id: record.id }])
  })

  test('and not what mentions the id, unless it is the id of nothing here', async () => {
    const approvalId = await ask('Refund with a reference')
    const reference = 'c0ffee00-0000-4000-8000-000000000001'
    const later = await ask(`Like ${approvalId}, order ${reference}`)
    expect(await approvals(approvalId)).toEqual([approvalId])
    expect(await approvals(reference)).toEqual([later])
    // Only of the kinds that are asked for.
    expect(await search(approvalId, maria, { kinds: ['trace'] })).toEqual([])
  })

  test('nothing for an id that does not exist, and for signs without letters', async () => {
    expect(await search('01a20c00-0000-7000-8000-000000000000', auditor)).toEqual([])
    expect(await search('…/-', auditor)).toEqual([])
  })
})

test('each kind needs its own permission', async () => {
  await ask('Refund seen by some')
  const exporter = await tenant.as('exporter', { roles: ['traces:write'], kind: 'service_account' })
  expect(await search('refund seen', exporter)).toEqual([])
  expect((await search('refund seen', auditor)).map(({ kind }) => kind)).toEqual(['approval'])
})

test('another tenant’s requests are not found, and the same word has another hash there', async () => {
  await ask('Tungsten order')
  const other = await testTenant(running)
  const theirs = await other.as('omar', { roles: ['developer', 'approver'] })
  await other.as('jonas', { roles: ['approver'], groups: ['refund-approvers'] })
  await askForRefund(other, theirs, { shows: { title: 'Tungsten order' } })
  const found = await search('tungsten', theirs)
  expect(found).toHaveLength(1)
  const shared = 'select word from approval_words where word <> 0 group by word having count(distinct tenant_id) > 1'
  expect(await rowsOf(shared)).toEqual([])
})

test('of very many requests with the same words, a bounded number is read', async () => {
  const many = await testTenant(running)
  const dora = await many.as('dora', { roles: ['developer', 'approver'] })
  await many.as('jonas', { roles: ['approver'], groups: ['refund-approvers'] })
  const { approvalId } = await askForRefund(many, dora, { shows: { title: 'Rhubarb and custard' } })
  await asOwner(running, 'alter table approval_words drop constraint approval_words_tenant_id_approval_id_fkey')
  const hashes = await running.database.inTenant(many.id, async (tx) =>
    hashesToFind(await tenantCipher(tx, many.id), ['rhubarb', 'custard']),
  )
  // Each word is in very many older requests, but only one request has both.
  for (const [index, hash] of hashes.entries())
    await asOwner(
      running,
      `insert into approval_words (tenant_id, word, approval_id)
       select $1, $2, ('00000000-0000-4000-800${index}-' || lpad(to_hex(n), 12, '0'))::uuid
       from generate_series(1, ${sized(1_000_000, 30_000)}) n`,
      [many.id, String(hash)],
    )
  await asOwner(running, 'analyze approval_words')
  const found = await running.database.inTenant(many.id, async (tx) => {
    // As with a larger table, of which PostgreSQL would not read all.
    for (const plan of ['seqscan', 'bitmapscan']) await sql.raw(`set local enable_${plan} = off`).execute(tx)
    const before = await readSoFar(tx)
    const ids = await findWithWords(tx, many.id, hashes, 200)
    return { ids, read: (await readSoFar(tx)) - before }
  })
  expect(found.ids).toEqual([approvalId])
  expect(found.read).toBeGreaterThan(1)
  // Two counts of 5,000, the newest 5,000, and one look-up for each of them.
  expect(found.read).toBeLessThan(25_000)
}, 600_000)

/** Entries of the table and its indexes that this session has read. */
async function readSoFar(tx: Transaction): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select sum(pg_stat_get_xact_tuples_returned(oid))::integer as rows from pg_class
    where oid = 'approval_words'::regclass
      or oid in (select indexrelid from pg_index where indrelid = 'approval_words'::regclass)`.execute(tx)
  return rows[0]?.rows ?? 0
}
