import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { type Cut, fitted } from './fit.ts'
import type { SentRecord } from './sink.ts'

/** The version of the Open Cybersecurity Schema Framework (schema.ocsf.io): the first one with `metadata.is_truncated`. */
export const ocsfVersion = '1.6.0'

/** Entity Management: an actor did something to an object. API Activity would need the caller's address, which records lack. */
const entityManagement = {
  category_uid: 3,
  category_name: 'Identity & Access Management',
  class_uid: 3004,
  class_name: 'Entity Management',
}

const activities: Readonly<Record<string, readonly [id: number, caption: string]>> = {
  activate: [10, 'Activate'],
  archived: [4, 'Delete'],
  created: [1, 'Create'],
  destinations_set: [3, 'Update'],
  disabled: [9, 'Disable'],
  downloaded: [2, 'Read'],
  enabled: [8, 'Enable'],
  invited: [1, 'Create'],
  read: [2, 'Read'],
  registered: [1, 'Create'],
  removed: [4, 'Delete'],
  resumed: [13, 'Resume'],
  revealed: [2, 'Read'],
  revoked: [4, 'Delete'],
  settings_set: [3, 'Update'],
  stored: [1, 'Create'],
  suspended: [12, 'Suspend'],
  updated: [3, 'Update'],
  value_read: [2, 'Read'],
}

const userTypes: Readonly<Record<string, readonly [id: number, caption: string]>> = {
  person: [1, 'User'],
  service_account: [4, 'Service'],
  system: [3, 'System'],
}

const integrity = { severity_id: 5, severity: 'Critical' }
const refused = { severity_id: 2, severity: 'Low' }
const usual = { severity_id: 1, severity: 'Informational' }

/** The record as an event of OCSF, in a message of at most 8 KB, which `envelop` makes from its JSON. */
export const ocsfMessage = (sent: SentRecord, envelop: (json: string) => string): string =>
  fitted(sent.record, (record, cut) => envelop(JSON.stringify(ocsfEvent(sent, record, cut))), Buffer.byteLength)

function ocsfEvent(sent: SentRecord, record: JsonObject, cut: Cut | undefined): JsonObject {
  const { action: _action, actor, at, auditId: _id, resource, reason, requestId, ...unmapped } = record
  const { action } = sent
  const isRefused = action.endsWith('.refused')
  const [activity_id, activity_name] = activities[action.split('.')[1] ?? ''] ?? [99, action]
  const time = typeof at === 'string' ? at : sent.createdAt.toISOString()
  const [who, what] = [membersOf(actor), membersOf(resource)]
  const [type_id, type] = userTypes[who.type] ?? [99, who.type]
  const code = isJsonObject(sent.record.details) ? sent.record.details.code : undefined
  return {
    ...entityManagement,
    activity_id,
    activity_name,
    type_uid: entityManagement.class_uid * 100 + activity_id,
    ...(action.endsWith('integrity_failed') ? integrity : isRefused ? refused : usual),
    ...(isRefused ? { status_id: 2, status: 'Failure' } : { status_id: 1, status: 'Success' }),
    ...(isRefused && typeof code === 'string' ? { status_code: code } : {}),
    time: Date.parse(time),
    message: messageOf(`${who.name}: ${action} ${what.type} ${what.id}`, cut),
    actor: { user: { uid: who.id, name: who.name, type_id, type } },
    entity: { uid: what.id, type_id: 99, type: what.type },
    ...(typeof reason === 'string' ? { comment: reason } : {}),
    metadata: {
      version: ocsfVersion,
      uid: sent.auditId,
      product: { name: 'Countersign', vendor_name: 'Countersign' },
      tenant_uid: sent.tenant,
      event_code: action,
      log_name: `audit/${sent.date}`,
      sequence: sent.seq,
      original_time: time,
      ...(typeof requestId === 'string' ? { correlation_uid: requestId } : {}),
      ...(cut === undefined ? {} : { is_truncated: true, untruncated_size: cut.bytes }),
    },
    unmapped: { ...unmapped, digest: sent.digest, ...(cut === undefined ? {} : { dropped: [...cut.dropped] }) },
  }
}

const messageOf = (text: string, cut: Cut | undefined) =>
  cut === undefined ? text : `${text} (without ${cut.dropped.join(', ')}: ${cut.bytes} bytes are too many)`

/** A record that was altered beyond recognition is still sent, under its id. */
function membersOf(value: JsonValue | undefined): { type: string; id: string; name: string } {
  const members = isJsonObject(value) ? value : {}
  const text = (name: string) => (typeof members[name] === 'string' ? members[name] : 'unknown')
  return { type: text('type'), id: text('id'), name: text('name') }
}
