import { describe, expect, test } from 'vitest'
import type { JsonObject } from '#lib/json.ts'
import { ocsfMessage } from './ocsf.ts'
import { otlpLogs } from './otlp-log.ts'
import type { SentRecord } from './sink.ts'
import { syslogFrame } from './syslog.ts'

const auditId = '01890000-0000-7000-8000-000000000001'
const at = '2026-11-20T10:11:12.345Z'
function sent(action: string, members: JsonObject = {}): SentRecord {
  const record = {
    action,
    actor: { type: 'person', id: 'm-1', name: 'Grace' },
    at,
    auditId,
    resource: { type: 'approval', id: 'a-1' },
    ...members,
  }
  const placed = { date: '2026-11-20', seq: 7, digest: `sha256:${'ab'.repeat(32)}`, createdAt: new Date(at) }
  return { tenant: 'northwind', auditId, action, record, ...placed }
}
const event = (record: SentRecord): JsonObject & { metadata: JsonObject; unmapped: JsonObject } =>
  JSON.parse(ocsfMessage(record, (json) => json))

/** What OCSF 1.6.0 has in this class and its objects (schema.ocsf.io/1.6.0/classes/entity_management), as far as it can apply. */
const known: Record<string, readonly string[]> = {
  event:
    'activity_id activity_name actor category_name category_uid class_name class_uid comment entity message metadata severity severity_id status status_code status_detail status_id time type_name type_uid unmapped'.split(
      ' ',
    ),
  metadata:
    'correlation_uid event_code is_truncated log_name log_provider log_version logged_time original_time processed_time product profiles sequence tenant_uid uid untruncated_size version'.split(
      ' ',
    ),
  user: ['uid', 'name', 'type', 'type_id', 'full_name', 'email_addr', 'org'],
  entity: ['uid', 'name', 'type', 'type_id', 'data', 'version'],
}
const required = 'activity_id category_uid class_uid entity metadata severity_id time type_uid'.split(' ')

describe('an event of OCSF', () => {
  test('has the members that version 1.6.0 requires, and no others than it knows', () => {
    for (const one of [sent('approval.approve'), sent('release.revoked.refused', { requestId: 'r', reason: 'x' })]) {
      const made = event(one)
      expect(Object.keys(made)).toEqual(expect.arrayContaining(required))
      const { user } = made.actor as { user: JsonObject }
      for (const [kind, members] of Object.entries({ event: made, metadata: made.metadata, user, entity: made.entity }))
        expect(Object.keys(members as JsonObject).filter((name) => !known[kind]?.includes(name))).toEqual([])
      expect(made).toMatchObject({ category_uid: 3, class_uid: 3004, type_uid: 300400 + Number(made.activity_id) })
      expect(made.metadata).toMatchObject({ version: '1.6.0', uid: auditId, product: { name: 'Countersign' } })
    }
  })

  test('has every member of the record', () => {
    const details = { votes: [1, null], ü: { deep: true } }
    const made = event(sent('agent.suspended', { details, states: [{ id: 'x' }], reason: 'Broken.', requestId: 'r-1' }))
    expect(made).toMatchObject({
      activity_id: 12,
      activity_name: 'Suspend',
      time: Date.parse(at),
      message: 'Grace: agent.suspended approval a-1',
      comment: 'Broken.',
      actor: { user: { uid: 'm-1', name: 'Grace', type_id: 1, type: 'User' } },
      entity: { uid: 'a-1', type: 'approval', type_id: 99 },
      metadata: { event_code: 'agent.suspended', tenant_uid: 'northwind', correlation_uid: 'r-1', sequence: 7 },
    })
    expect(made.unmapped).toEqual({ details, states: [{ id: 'x' }], digest: `sha256:${'ab'.repeat(32)}` })
  })

  test('shows a refusal with its code, and evidence that does not agree as critical', () => {
    const refusal = event(sent('approval.approve.refused', { details: { code: 'forbidden' } }))
    expect(refusal).toMatchObject({ status: 'Failure', status_id: 2, status_code: 'forbidden', severity_id: 2 })
    expect(event(sent('state.integrity_failed'))).toMatchObject({ severity_id: 5, severity: 'Critical' })
  })

  test('names an actor of another kind and an action that OCSF lacks in its own words', () => {
    const made = event(sent('approval.approve', { actor: { type: 'agent', id: 'g', name: 'Sorter' } }))
    expect(made).toMatchObject({ activity_id: 99, activity_name: 'approval.approve' })
    expect(made.actor).toEqual({ user: { uid: 'g', name: 'Sorter', type_id: 99, type: 'agent' } })
  })

  test('is sent of a record that was altered beyond recognition', () => {
    const { record: _record, ...rest } = sent('approval.approve')
    expect(event({ ...rest, record: { actor: 7 } }).metadata.uid).toBe(auditId)
  })
})

const odd = 'ü→🔑\u2028\u0001"\\'

describe('a message of more than 8 KB', () => {
  const large = { rows: 'é'.repeat(9_000) }
  const states = [{ digest: 'x'.repeat(9_000) }]
  const sizes = { ocsf: (one: SentRecord) => Buffer.byteLength(ocsfMessage(one, (json) => json)) }

  test.each<[string, JsonObject, string[]]>([
    ['its details', { details: large, states: [], reason: 'x' }, ['details']],
    ['then the states of objects', { details: large, states }, ['details', 'states']],
    ['then all but the beginning of its reason', { reason: odd.repeat(2_000) }, ['reason']],
  ])('loses %s, and says so', (_name, members, dropped) => {
    const record = sent('approval.approve', members)
    expect(sizes.ocsf(record)).toBeLessThanOrEqual(8192)
    const made = event(record)
    expect(made.unmapped.dropped).toEqual(dropped)
    expect(made.metadata).toMatchObject({ is_truncated: true, uid: auditId })
    expect(made.metadata.untruncated_size).toBeGreaterThan(8192)
    expect(made.message).toContain(`without ${dropped.join(', ')}`)
    for (const name of ['details', 'states'].filter((one) => dropped.includes(one)))
      expect(made.unmapped).not.toHaveProperty(name)
    const { resourceLogs } = JSON.parse(otlpLogs([record]))
    expect(JSON.stringify(resourceLogs)).toContain('countersign.audit.dropped')
  })

  test('has text that receivers can read, also where its reason is cut within a character', () => {
    const record = sent('approval.approve', { reason: `${'x'.repeat(499)}${'🔑'.repeat(5_000)}` })
    expect(event(record).comment).toBe(`${'x'.repeat(499)}\ufffd…`)
    // JSON of half a character is an escape that strict receivers refuse.
    for (const text of [ocsfMessage(record, (json) => json), otlpLogs([record])])
      expect(text).not.toMatch(/\\ud[89a-f]/i)
  })

  test('fits as a frame of syslog too, whose escapes need more bytes', () => {
    // Below the limit in UTF-8.
    const record = sent('approval.approve', { details: { text: 'ü'.repeat(3_000) } })
    expect(event(record).metadata.is_truncated).toBeUndefined()
    const frame = syslogFrame(record, 'countersign.example')
    expect(Number(frame.split(' ', 1)[0])).toBeLessThanOrEqual(8192)
    expect(frame).toContain('"is_truncated":true')
  })

  test('is as large as it may be', () => {
    const base = sizes.ocsf(sent('approval.approve', { details: { text: '' } }))
    const exact = sent('approval.approve', { details: { text: 'x'.repeat(8192 - base) } })
    expect(sizes.ocsf(exact)).toBe(8192)
    expect(event(exact).metadata.is_truncated).toBeUndefined()
    const over = sent('approval.approve', { details: { text: 'x'.repeat(8193 - base) } })
    expect(event(over).metadata).toMatchObject({ is_truncated: true, untruncated_size: 8193 })
  })
})

describe('a frame of syslog', () => {
  test('counts octets, is ASCII, and has the record unchanged', () => {
    const frame = syslogFrame(sent('approval.approve', { reason: odd }), 'countersign.example')
    const [, octets, message = ''] = /^(\d+) ([\s\S]*)$/.exec(frame) ?? []
    expect(Buffer.byteLength(message)).toBe(Number(octets))
    expect(message).toMatch(
      /^<110>1 2026-11-20T10:11:12\.345Z countersign\.example countersign - audit - \{[\x20-\x7e]*\}$/,
    )
    expect(JSON.parse(message.slice(message.indexOf('{'))).comment).toBe(odd)
  })
})
