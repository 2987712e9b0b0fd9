// More than 300 lines: one list, which reads best in one place, with all bound types and their columns.

/**
 * A type of object whose rows are bound to the audit log, and its form: the columns that the digest of a state covers. A
 * column that is added later needs another form, so that states bound under this one can still be checked.
 */
export type BoundType = {
  /** Its name in records and archives: a format, not prose. */
  type: string
  table: string
  /** The primary key without the tenant, with the types of its columns. An object's id joins the values with "/". */
  key: readonly (readonly [column: string, type: 'uuid' | 'text' | 'integer' | 'date'])[]
  /** Columns whose values are part of the state as they are. */
  plain: readonly string[]
  /** Moments: ISO 8601 in UTC with milliseconds. */
  times: readonly string[]
  /** Whole numbers that JSON can't represent exactly: text. */
  large?: readonly string[]
  /** bytea without encryption: base64. */
  bytes?: readonly string[]
  /** Moments in UTC with microseconds. */
  micros?: readonly string[]
  /** Attributes of spans: without what follows from an erasure or a mask, so that only key, value and commitments remain. */
  attributes?: readonly string[]
  /** Names and free text: a commitment with a salt of its own, so that an archive can leave the value out. */
  committed?: readonly string[]
  /** Encrypted content: `content_commitment`. */
  content?: readonly string[]
  /** Columns that are not evidence: they change with each use, or are internal digests by which rows are found. */
  left?: readonly string[]
  /** The table's other rows are proven otherwise: only those for which this holds of a row `r` are of the type. */
  only?: string
  /** Bound by later versions than the other types: its rows are adopted apart from theirs. */
  later?: true
  /** The server's role may lock rows, because it may update them. */
  locks: boolean
}

export const form = 1

/** A state as the database stores it. `digest` is null once the object was deleted. */
export type StoredState = {
  type: string
  id: string
  form: number
  revision: number
  digest: Buffer | null
  auditId: string
  mac: Buffer
}

/** A row as it is after a write that the process knows in advance, and its state before: null for a new one. */
export type KnownRow = {
  bound: BoundType
  id: string
  /** JSON of the columns of its form, as the database writes it. */
  row: string
  before: Omit<StoredState, 'type' | 'id'> | null
}

const id = [['id', 'uuid']] as const

/** Every type of object that an archive shows or an authority depends on, in the order of their names. */
export const boundTypes: readonly BoundType[] = [
  {
    type: 'access_change',
    table: 'access_changes',
    key: id,
    plain: ['kind', 'subject_id', 'change', 'proposed_by', 'approval_id', 'status'],
    times: ['created_at', 'decided_at'],
    locks: true,
  },
  {
    type: 'agent',
    table: 'agents',
    key: id,
    plain: ['name', 'display_name', 'status', 'revision', 'created_by'],
    times: ['created_at'],
    locks: true,
  },
  {
    type: 'agent_owner',
    table: 'agent_owners',
    key: [
      ['agent_id', 'uuid'],
      ['member_id', 'uuid'],
    ],
    plain: [],
    times: [],
    locks: false,
  },
  {
    type: 'agent_version',
    table: 'agent_versions',
    key: id,
    plain: ['agent_id', 'version', 'manifest', 'manifest_yaml', 'manifest_digest', 'created_by'],
    times: ['created_at'],
    locks: false,
  },
  {
    type: 'approval',
    table: 'approvals',
    key: id,
    plain: [
      'kind',
      'subject_id',
      'status',
      'payload_digest',
      'agent_id',
      'execution_id',
      'step_id',
      'decision_id',
      'requested_by',
      'identities',
      'group_id',
      'quorum',
      'escalation_level',
      'revision',
      'audit_id',
    ],
    times: ['requested_at', 'expires_at', 'parked_at', 'decided_at', 'used_at'],
    content: ['payload', 'presentation'],
    left: ['shape_digest', 'object_digest'],
    locks: true,
  },
  {
    type: 'approval_question',
    table: 'approval_questions',
    key: [
      ['approval_id', 'uuid'],
      ['id', 'uuid'],
    ],
    plain: ['asked_by', 'audit_id', 'answered_by', 'answer_audit_id'],
    times: ['asked_at', 'answered_at'],
    committed: ['question', 'answer'],
    locks: true,
  },
  {
    type: 'approval_revision',
    table: 'approval_revisions',
    key: [['approval_id', 'uuid']],
    plain: ['requested_by', 'audit_id', 'next_id', 'revised_by'],
    times: ['requested_at', 'revised_at'],
    committed: ['reason'],
    locks: true,
  },
  {
    type: 'approval_terms',
    table: 'approval_terms',
    key: [['approval_id', 'uuid']],
    plain: [
      'stages',
      'stage',
      'stage_votes',
      'expires_after_seconds',
      'remind_at',
      'escalate_after_seconds',
      'pause_on_question',
      'passed',
    ],
    times: ['paused_at'],
    locks: true,
  },
  {
    type: 'approval_vote',
    table: 'approval_votes',
    key: [
      ['approval_id', 'uuid'],
      ['id', 'uuid'],
    ],
    plain: ['member_id', 'on_behalf_of', 'decision', 'escalation_level', 'audit_id', 'confirmation'],
    times: ['created_at'],
    committed: ['reason'],
    locks: false,
  },
  {
    type: 'approver_delegation',
    table: 'approver_delegations',
    key: id,
    plain: ['delegator_id', 'delegate_id', 'revision'],
    times: ['from_at', 'until_at', 'ended_at', 'created_at'],
    committed: ['reason'],
    locks: true,
  },
  {
    type: 'approver_group',
    table: 'approver_groups',
    key: id,
    plain: ['name', 'display_name', 'revision'],
    times: ['created_at'],
    locks: true,
  },
  {
    type: 'approver_group_member',
    table: 'approver_group_members',
    key: [
      ['group_id', 'uuid'],
      ['member_id', 'uuid'],
    ],
    plain: [],
    times: [],
    locks: false,
  },
  {
    type: 'connection_token',
    table: 'connection_tokens',
    key: id,
    plain: ['member_id', 'use', 'agents', 'created_by', 'revision'],
    times: ['created_at', 'expires_at', 'revoked_at'],
    bytes: ['token_sha256'],
    committed: ['name'],
    locks: true,
  },
  {
    type: 'decision',
    table: 'policy_decisions',
    key: id,
    plain: [
      'agent_id',
      'release_id',
      'execution_id',
      'step_id',
      'requested_by',
      'environment',
      'action',
      'resource',
      'effect',
      'obligations',
      'reasons',
      'policies',
      'shadow',
      'input_digest',
    ],
    times: ['created_at'],
    content: ['request'],
    locks: true,
  },
  {
    type: 'erased_content',
    table: 'erased_content',
    key: [
      ['resource', 'text'],
      ['resource_id', 'text'],
      ['id', 'uuid'],
    ],
    plain: ['erasure_id', 'texts'],
    times: ['erased_at'],
    locks: true,
  },
  {
    type: 'erasure',
    table: 'erasures',
    key: id,
    plain: [
      'requested_by',
      'subject_digest',
      'status',
      'waits_for',
      'spans',
      'erased_values',
      'held_spans',
      'records',
      'held_records',
      'unreadable',
    ],
    times: ['created_at', 'completed_at'],
    committed: ['reason'],
    content: ['subject'],
    locks: true,
  },
  {
    type: 'execution',
    table: 'executions',
    key: id,
    plain: ['agent_id', 'release_id', 'environment', 'status', 'trace_id', 'event_count', 'revision', 'started_by'],
    times: [
      'created_at',
      'started_at',
      'ended_at',
      'deadline_at',
      'parked_at',
      'stop_requested_at',
      'stop_confirmed_at',
    ],
    committed: ['stop_reason'],
    content: ['input', 'output', 'error'],
    left: ['idempotency_key'],
    locks: true,
  },
  {
    type: 'execution_event',
    table: 'execution_events',
    key: [
      ['execution_id', 'uuid'],
      ['seq', 'integer'],
    ],
    plain: ['type', 'step_id'],
    times: ['created_at'],
    content: ['data'],
    locks: true,
  },
  {
    type: 'execution_step',
    table: 'execution_steps',
    key: [
      ['execution_id', 'uuid'],
      ['step_id', 'text'],
    ],
    plain: ['status', 'attempts', 'decision_id', 'approval_id', 'span_id'],
    times: ['started_at', 'ended_at'],
    content: ['arguments', 'output'],
    locks: true,
  },
  {
    type: 'file',
    table: 'files',
    key: id,
    plain: ['sha256', 'media_type', 'created_by'],
    times: ['created_at', 'content_removed_at'],
    large: ['bytes'],
    content: ['name'],
    locks: true,
  },
  {
    type: 'file_use',
    table: 'file_uses',
    key: [
      ['file_id', 'uuid'],
      ['execution_id', 'uuid'],
      ['role', 'text'],
    ],
    plain: [],
    times: [],
    locks: false,
  },
  {
    type: 'group_mapping',
    table: 'group_mappings',
    key: id,
    plain: ['group_id', 'issuer', 'name'],
    times: ['created_at'],
    locks: false,
  },
  {
    type: 'input_event',
    table: 'input_events',
    key: id,
    plain: ['fingerprint', 'execution_id', 'input_name', 'status', 'submitted_by', 'revision'],
    times: ['received_at', 'expires_at', 'settled_at'],
    content: ['data', 'attributes'],
    left: ['identity'],
    locks: true,
  },
  {
    type: 'input_resolution',
    table: 'input_resolutions',
    key: id,
    plain: ['wait_id', 'event_id', 'channel', 'delivery', 'application', 'attempts', 'revision'],
    times: ['created_at', 'delivered_at', 'applied_at'],
    committed: ['delivery_error'],
    content: ['recipient'],
    locks: true,
  },
  {
    type: 'input_wait',
    table: 'input_waits',
    key: id,
    plain: ['execution_id', 'step_id', 'input_name', 'on_expiry', 'status', 'event_id', 'revision'],
    times: ['opened_at', 'expires_at', 'parked_at', 'matched_at', 'closed_at'],
    locks: true,
  },
  {
    type: 'legal_hold',
    table: 'legal_holds',
    key: id,
    plain: ['trace_id', 'from_day', 'to_day', 'created_by', 'released_by', 'revision'],
    times: ['created_at', 'released_at'],
    committed: ['reason', 'release_reason'],
    locks: false,
  },
  {
    type: 'mapped_member',
    table: 'mapped_members',
    key: id,
    plain: ['member_id', 'source', 'name'],
    times: ['created_at'],
    locks: false,
  },
  {
    type: 'member',
    table: 'members',
    key: id,
    plain: ['kind', 'roles', 'status', 'revision'],
    times: ['created_at', 'tokens_not_before'],
    committed: ['issuer', 'subject', 'username', 'display_name', 'email'],
    locks: true,
  },
  {
    type: 'passkey',
    table: 'passkeys',
    key: id,
    plain: ['member_id', 'credential_id', 'transports', 'synced'],
    times: ['created_at'],
    bytes: ['public_key'],
    committed: ['name'],
    left: ['last_used_at', 'sign_count'],
    locks: true,
  },
  {
    type: 'policy',
    table: 'policies',
    key: id,
    plain: ['name', 'description', 'created_by'],
    times: ['created_at'],
    locks: true,
  },
  {
    type: 'policy_binding',
    table: 'policy_bindings',
    key: id,
    plain: [
      'agent_id',
      'selector',
      'environment',
      'policy_id',
      'policy_version',
      'mode',
      'status',
      'approval_id',
      'proposed_by',
      'revision',
    ],
    times: ['created_at', 'decided_at'],
    locks: true,
  },
  {
    type: 'policy_version',
    table: 'policy_versions',
    key: [
      ['policy_id', 'uuid'],
      ['version', 'integer'],
    ],
    plain: ['status', 'source', 'digest', 'created_by'],
    times: ['created_at', 'published_at'],
    locks: true,
  },
  {
    type: 'release',
    table: 'releases',
    key: id,
    plain: [
      'agent_id',
      'agent_version_id',
      'environment',
      'digest',
      'content',
      'status',
      'approval_id',
      'proposed_by',
      'revision',
    ],
    times: ['created_at', 'decided_at'],
    locks: true,
  },
  {
    type: 'span',
    table: 'spans',
    key: [
      ['day', 'date'],
      ['trace_id', 'text'],
      ['span_id', 'text'],
    ],
    plain: [
      'parent_span_id',
      'origin',
      'name',
      'kind',
      'status',
      'status_message',
      'events',
      'links',
      'facts',
      'audit_id',
      'batch_index',
      'resource_index',
      'start_change',
      'end_change',
    ],
    times: [],
    micros: ['started_at', 'ended_at'],
    attributes: ['attributes'],
    left: ['sealed', 'fingerprint'],
    only: `r.origin = 'execution'`,
    later: true,
    locks: true,
  },
  {
    type: 'standing_grant',
    table: 'standing_grants',
    key: id,
    plain: [
      'source_id',
      'approval_id',
      'agent_id',
      'release_id',
      'environment',
      'resource',
      'policies',
      'group_id',
      'status',
      'lapse',
      'proposed_by',
      'approved_by',
      'max_uses',
      'uses',
      'currency',
      'revision',
    ],
    times: ['until_at', 'created_at', 'decided_at', 'ended_at'],
    large: ['max_micros', 'used_micros'],
    locks: true,
  },
  {
    type: 'standing_grant_use',
    table: 'standing_grant_uses',
    key: [
      ['grant_id', 'uuid'],
      ['number', 'integer'],
    ],
    plain: ['decision_id', 'execution_id', 'audit_id'],
    times: ['used_at'],
    large: ['micros'],
    locks: false,
  },
  {
    type: 'trace_reveal',
    table: 'trace_reveals',
    key: [['audit_id', 'uuid']],
    plain: ['trace_id', 'span_id', 'member_id', 'purpose', 'grant_id'],
    times: ['revealed_at'],
    committed: ['justification'],
    locks: false,
  },
  {
    type: 'unmask_grant',
    table: 'unmask_grants',
    key: id,
    plain: ['trace_id', 'member_id', 'fields', 'purpose', 'status', 'approval_id'],
    times: ['created_at', 'expires_at'],
    committed: ['justification'],
    locks: true,
  },
]

/** The types that are adopted after the others. */
export const laterTypes: readonly string[] = boundTypes.flatMap(({ type, later }) => (later === true ? [type] : []))

const byType = new Map(boundTypes.map((one) => [one.type, one]))

export const isBoundType = (type: string): boolean => byType.has(type)

export function boundType(type: string): BoundType {
  const found = byType.get(type)
  if (found === undefined) throw new Error(`The type ${type} is not bound to the log.`)
  return found
}
