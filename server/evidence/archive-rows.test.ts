import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { auditorOf, exportRuntime, fetchArchive } from '#server/testing/exports.ts'
import { readArchiveFiles } from '#server/testing/extract.ts'
import { packArchive } from '#server/testing/forged-archive.ts'
import { relogged } from '#server/testing/forged-log.ts'

// Rows, decisions confirmed with passkeys, and what the log demands, on archives whose log was made for the test.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
let files: Map<string, Buffer>
let folder: string
let today: string
beforeAll(async () => {
  runtime = await exportRuntime()
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  await runtime.bindRows(tenant)
  const job = await runtime.make(tenant, auditor)
  const { top } = await runtime.extract('rows', await fetchArchive(auditor, job.exportId))
  files = await readArchiveFiles(top)
  folder = `evidence-room-${job.exportId}`
  today = JSON.parse(String(files.get('manifest.json'))).days[0].date
})
afterAll(() => runtime.close())

const sha256 = (...parts: (Buffer | string)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const lines = (rows: object[]) => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))

/** The files of rows, all empty, and these. */
const rowsOf = (rows: Record<string, object[]>) => (content: Map<string, Buffer>) => {
  for (const path of content.keys())
    if (/^data\/[a-z-]+\.ndjson$/.test(path) && path !== 'data/omissions.ndjson') content.set(path, Buffer.alloc(0))
  for (const [name, own] of Object.entries(rows)) content.set(`data/${name}.ndjson`, lines(own))
}
const checksOf = async (edit: (records: JsonObject[]) => JsonObject[], rows: Record<string, object[]>) => {
  const changed = relogged(files, today, edit, rowsOf(rows))
  const { checks } = await verifyArchive(new Blob([new Uint8Array(await packArchive(folder, changed))]))
  expect(checks.filter(({ name, state }) => state === 'fails' && name === `Log of ${today}`)).toEqual([])
  return checks
}

const record = (records: JsonObject[], action: string, more: JsonObject): JsonObject => ({
  ...(records.at(-1) ?? {}),
  auditId: 'c0ffee00-0000-7000-8000-000000000001',
  action,
  ...more,
})

const salt = Buffer.alloc(32, 9)
const valueSalt = Buffer.alloc(32, 5).toString('base64url')
const agent = { id: 'a1', name: 'sorter', status: 'active', displayName: commitment('Sorter') }
function commitment(value: string): string {
  return sha256(canonicalJson([valueSalt, value])).toString('base64url')
}
const digestOf = (state: JsonObject) =>
  `sha256:${sha256('agcp.state.v1\n', salt, canonicalJson(state)).toString('hex')}`
const bound = { type: 'agent', id: 'a1', revision: 2, form: 1, salt: salt.toString('base64url') }
const row = { state: agent, bound, values: { displayName: { salt: valueSalt, value: 'Sorter' } } }
const states =
  (...of: { revision: number; digest: string | null }[]) =>
  (records: JsonObject[]) => [
    record(records, 'agent.updated', { states: of.map((one) => ({ type: 'agent', id: 'a1', form: 1, ...one })) }),
  ]
const committed = states({ revision: 1, digest: digestOf({ id: 'a1' }) }, { revision: 2, digest: digestOf(agent) })
const rowsCheck = async (edit: typeof committed, rows: object[]) => {
  const changed = relogged(files, today, edit, rowsOf({ agents: rows }))
  const { checks } = await verifyArchive(new Blob([new Uint8Array(await packArchive(folder, changed))]))
  return checks.find(({ name, verdict }) => name === 'Rows' && verdict === 'log')
}

describe('a row that is bound to the log', () => {
  test('holds when it is the last state that a record commits to', async () => {
    expect(await rowsCheck(committed, [row])).toMatchObject({
      state: 'holds',
      detail: expect.stringMatching(/^The only row is as the log commits to it, up to record \d+ of /),
    })
  })

  test.each<[string, typeof committed, object[], string]>([
    ['with a changed member', committed, [{ ...row, state: { ...agent, status: 'disabled' } }], 'is not what the log'],
    [
      'of an older revision',
      committed,
      [{ ...row, state: { id: 'a1' }, bound: { ...bound, revision: 1 } }],
      'at revision 1',
    ],
    ['of a later revision', committed, [{ ...row, bound: { ...bound, revision: 3 } }], 'at revision 3'],
    ['under another id', committed, [{ ...row, bound: { ...bound, id: 'a2' } }], 'the row of another object'],
    [
      'moved to another object',
      committed,
      [{ ...row, state: { ...agent, id: 'a2' }, bound: { ...bound, id: 'a2' } }],
      'No record in the archive commits',
    ],
    ['under another type', committed, [{ ...row, bound: { ...bound, type: 'member' } }], 'the row of another object'],
    ['that is listed twice', committed, [row, row], 'twice'],
    ['with another salt', committed, [{ ...row, bound: { ...bound, salt: valueSalt } }], 'is not what the log'],
    [
      'with another value for a commitment',
      committed,
      [{ ...row, values: { displayName: { salt: valueSalt, value: 'Sorters' } } }],
      'displayName of agent a1',
    ],
    ['that was removed', states({ revision: 3, digest: null }), [row], 'was removed'],
    ['that no record commits to', (records) => records, [row], 'No record in the archive commits'],
    [
      'whose revision two records commit to',
      states({ revision: 2, digest: digestOf(agent) }, { revision: 2, digest: digestOf({}) }),
      [row],
      'again',
    ],
  ])('fails %s', async (_name, edit, rows, reason) => {
    const changed = relogged(files, today, edit, rowsOf({ agents: rows }))
    const { verdicts, checks } = await verifyArchive(new Blob([new Uint8Array(await packArchive(folder, changed))]))
    expect(verdicts.log).toBe('fails')
    expect(checks.filter(({ state }) => state === 'fails').map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining(reason),
    )
  })

  test('is not checked when the service did not commit to it', async () => {
    expect(await rowsCheck(committed, [row, { id: 'a2' }])).toMatchObject({
      state: 'not checked',
      detail: '1 row is compared with the log; 1 is shown without its commitments, so only the seal covers it.',
    })
  })
})

describe('what a record created', () => {
  const cases: [action: string, type: string, file: string, row: JsonObject, details?: JsonObject][] = [
    ['member.created', 'member', 'members', { id: 'x' }],
    ['member.invited', 'member', 'members', { id: 'x' }],
    ['agent.registered', 'agent', 'agents', { id: 'x' }],
    ['release.proposed', 'release', 'releases', { id: 'x' }],
    ['policy_binding.proposed', 'policy_binding', 'policy-bindings', { id: 'x' }],
    ['policy_version.published', 'policy', 'policies', { policyId: 'x', version: 3 }, { version: 3 }],
    ['execution.started', 'execution', 'executions', { id: 'x' }],
    ['input.submitted', 'input_event', 'input-events', { id: 'x' }],
    ['input.requested', 'execution', 'input-waits', { id: 'w' }, { waits: [{ waitId: 'w' }] }],
    ['file.stored', 'file', 'files', { id: 'x' }],
    ['approval.requested', 'approval', 'approvals', { id: 'x' }],
    ['approval.approve', 'approval', 'approval-votes', { auditId: 'c0ffee00-0000-7000-8000-000000000001' }],
    ['approval.reject', 'approval', 'approval-votes', { auditId: 'c0ffee00-0000-7000-8000-000000000001' }],
    ['policy.evaluated', 'policy_decision', 'decisions', { id: 'x' }],
    ['policy.approval_requested', 'policy_decision', 'decisions', { id: 'x' }],
  ]
  test.each(cases)('by %s must be in the archive or its omissions', async (action, type, file, own, details = {}) => {
    const edit = (records: JsonObject[]) => [record(records, action, { resource: { type, id: 'x' }, details })]
    const completeness = async (rows: Record<string, object[]>, omissions: object[] = []) => {
      const changed = relogged(files, today, edit, (content) => {
        rowsOf(rows)(content)
        content.set('data/omissions.ndjson', lines(omissions))
      })
      const { checks } = await verifyArchive(new Blob([new Uint8Array(await packArchive(folder, changed))]))
      return checks.find(({ name, verdict }) => name === 'Rows' && verdict === 'completeness')
    }
    expect(await completeness({ [file]: [own] })).toMatchObject({ state: 'holds' })
    expect(await completeness({})).toMatchObject({ state: 'fails', detail: expect.stringContaining(`data/${file}`) })
    const key = type === 'policy' ? 'x 3' : String(own.auditId ?? own.id)
    expect(await completeness({}, [{ resource: file, id: key, reason: 'erased' }])).toMatchObject({ state: 'holds' })
    expect(await completeness({}, [{ resource: file, id: 'other', reason: 'erased' }])).toMatchObject({
      state: 'fails',
    })
  })
})

describe('a decision confirmed with a passkey', () => {
  const approvalId = 'ap1'
  const payloadDigest = `sha256:${'1'.repeat(64)}`
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const bytes = (text: string) => Buffer.concat([Buffer.of(0x58, 32), Buffer.from(text, 'base64url')])
  /** COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
  const cose = Buffer.concat([Buffer.of(0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21), bytes(x), Buffer.of(0x22), bytes(y)])

  function confirmation(change: { flags?: number; key?: KeyObject; type?: string } = {}): JsonObject {
    const stated = { act: 'approve', approvalId, payloadDigest, nonce: 'n' }
    const client = Buffer.from(
      JSON.stringify({
        type: change.type ?? 'webauthn.get',
        challenge: sha256(canonicalJson(stated)).toString('base64url'),
      }),
    )
    const device = Buffer.concat([sha256('localhost'), Buffer.of(change.flags ?? 5), Buffer.alloc(4)])
    const signature = sign('sha256', Buffer.concat([device, sha256(client)]), change.key ?? privateKey)
    return {
      passkeyId: 'p1',
      publicKey: cose.toString('base64url'),
      bound: stated,
      clientDataJSON: client.toString('base64url'),
      authenticatorData: device.toString('base64url'),
      signature: signature.toString('base64url'),
    }
  }
  const vote = (own: JsonObject) => ({
    id: 'v1',
    approvalId,
    auditId: 'c0ffee00-0000-7000-8000-000000000001',
    confirmation: own,
  })
  const logged =
    (own: JsonObject, key: string | undefined = cose.toString('base64url')) =>
    (records: JsonObject[]) => [
      record(records, 'passkey.registered', {
        auditId: 'c0ffee00-0000-7000-8000-000000000000',
        resource: { type: 'passkey', id: 'p1' },
        details: key === '' ? {} : { publicKey: key },
      }),
      record(records, 'approval.approve', {
        resource: { type: 'approval', id: approvalId },
        details: { confirmation: `sha256:${sha256(canonicalJson(own)).toString('hex')}` },
      }),
    ]
  const passkeys = async (own: JsonObject, votes: object[], key?: string, digest = payloadDigest) =>
    (
      await checksOf(logged(own, key), {
        'approval-votes': votes,
        approvals: [{ id: approvalId, payloadDigest: digest }],
      })
    ).find(({ name }) => name === 'Passkeys')

  test('holds when the device signed exactly this request, with the key that the log names', async () => {
    const own = confirmation()
    expect(await passkeys(own, [vote(own)])).toMatchObject({ state: 'holds' })
    expect(await passkeys(own, [vote(own)], '')).toMatchObject({ state: 'not checked' })
  })

  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  test.each<[string, () => ReturnType<typeof passkeys>, string]>([
    [
      'with a signature by another key',
      () => {
        const own = confirmation({ key: other })
        return passkeys(own, [vote(own)])
      },
      'does not hold',
    ],
    [
      'that the device made without verifying the person',
      () => {
        const own = confirmation({ flags: 1 })
        return passkeys(own, [vote(own)])
      },
      'did not verify the person',
    ],
    [
      'that is a registration',
      () => {
        const own = confirmation({ type: 'webauthn.create' })
        return passkeys(own, [vote(own)])
      },
      'did not verify the person',
    ],
    [
      'of another payload',
      () => {
        const own = confirmation()
        return passkeys(own, [vote(own)], undefined, `sha256:${'2'.repeat(64)}`)
      },
      'another request',
    ],
    [
      'with another key than the registered one',
      () => {
        const own = confirmation()
        return passkeys(own, [vote(own)], 'AAAA')
      },
      'another key than the one that was registered',
    ],
    ['that the log has and the votes lack', () => passkeys(confirmation(), []), 'whose vote is missing'],
    [
      'that differs from the log',
      () => passkeys(confirmation(), [vote({ ...confirmation(), passkeyId: 'p2' })]),
      'another confirmation',
    ],
  ])('fails %s', async (_name, made, reason) => {
    expect(await made()).toMatchObject({ state: 'fails', detail: expect.stringMatching(new RegExp(reason)) })
  })
})

describe('what people and policies decided about, in an archive with raw payloads', () => {
  const payload = { tool: 'payments.refund', arguments: { amount: 4200 }, salt: 's', form: 2 }
  const presentation = { title: 'Refund', fields: [] }
  const hashed = (value: JsonValue) => `sha256:${sha256(canonicalJson(value)).toString('hex')}`
  const payloadDigest = hashed({ content: hashed(payload), shown: presentation })
  const opened = (value: JsonValue) => ({ salt: valueSalt, value })
  const approval = {
    id: 'ap1',
    payloadDigest,
    values: { payload: opened(payload), presentation: opened(presentation) },
    contentGone: null,
  }
  const request = { tool: 'payments.refund', salt: 's' }
  const decision = { id: 'd1', inputDigest: hashed(request), values: { request: opened(request) }, contentGone: null }
  const requests = async (approvals: object[], decisions: object[] = []) =>
    (await checksOf((records) => records, { approvals, decisions })).find(({ name }) => name === 'Requests')

  test('holds when each request has its digest, in both forms', async () => {
    const first = { ...payload, form: 1 }
    const former = { id: 'ap2', payloadDigest: hashed(first), values: { payload: opened(first) } }
    expect(await requests([approval, former], [decision])).toMatchObject({
      state: 'holds',
      detail: 'All 3 requests have the digest that people and policies decided on.',
    })
  })

  test.each<[string, object[], object[]]>([
    [
      'another payload',
      [{ ...approval, values: { ...approval.values, payload: opened({ ...payload, tool: 'x' }) } }],
      [],
    ],
    ['another page', [{ ...approval, values: { ...approval.values, presentation: opened({ title: 'X' }) } }], []],
    ['another digest', [{ ...approval, payloadDigest: hashed({}) }], []],
    ['another request of a policy', [], [{ ...decision, values: { request: opened({ ...request, tool: 'x' }) } }]],
  ])('fails with %s', async (_name, approvals, decisions) => {
    expect(await requests(approvals, decisions)).toMatchObject({ state: 'fails' })
  })

  test('is not checked where parts were removed, and not made without values', async () => {
    const erased = { ...decision, values: { request: opened({ salt: 's' }) }, contentGone: 'erased' }
    expect(await requests([approval], [erased])).toMatchObject({
      state: 'not checked',
      detail: '1 request has the digest that was decided on; parts of 1 were removed.',
    })
    const { presentation: shown, ...rest } = approval.values
    expect(shown).toBeDefined()
    expect(await requests([{ ...approval, values: rest }])).toMatchObject({ state: 'not checked' })
    expect(await requests([{ id: 'ap1', payloadDigest }], [{ id: 'd1' }])).toBeUndefined()
  })
})
