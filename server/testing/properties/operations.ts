// Longer than other files because it is a table: each line is an operation and the object that it names.
import { randomUUID } from 'node:crypto'
import type { Permission } from '#lib/permissions.ts'
import type { Need } from '#server/kernel/operation.ts'
import type { Input } from './call.ts'
import { anotherDay, type Kind, manifest, type World } from './world.ts'

/** One way in which an operation's input can name something. */
export type Cell = {
  /** An object, a name that the caller chooses and that another tenant may also use, or nothing. */
  names: Kind | 'new name' | 'nothing'
  input(named: string, own: World): Input | undefined | Promise<Input>
  /** The status for an object of another tenant, and for one that never existed. */
  absent: number
  /** Statuses that show that the caller's object was reached. The first of them occurs at least once. */
  own: readonly number[]
  /** A further permission that the operation checks itself. */
  also?: Permission
}

/** The permission as the API's design has it, and the ways in which the input names something. */
type Line = readonly [needs: Need, ...cells: Cell[]]

type Expected = Partial<Pick<Cell, 'absent' | 'own' | 'also'>>
const cell = (names: Cell['names'], input: Cell['input'], expected: Expected = {}): Cell => ({
  names,
  input,
  absent: 404,
  own: [200],
  ...expected,
})
const by = (kind: Kind, input: Cell['input'], expected?: Expected) => cell(kind, input, expected)
/** A list returns an empty page if the filter or the cursor names an object that doesn't exist. */
const filter = (kind: Kind, key: string) => cell(kind, (id) => ({ [key]: id }), { absent: 200 })
const fresh = (input: Cell['input'], expected?: Expected) => cell('new name', input, expected)
const plain = (input: Input | undefined = {}, expected?: Expected) => cell('nothing', () => input, expected)

const decision = (approvalId: string) => ({
  approvalId,
  decision: 'approve',
  decisionAcknowledged: true,
  reason: 'Read and found right.',
})
/** The log begins on the day of the test. */
const days = {
  startDate: new Date(Date.now() - 86_400_000).toISOString(),
  endDate: new Date(Date.now() + 86_400_000).toISOString(),
}
const period = { ...days, includeProofs: false }
const today = () => new Date().toISOString().slice(0, 10)
const simulated = { environment: 'production', from: '2026-01-01T00:00:00.000Z', to: '2999-01-01T00:00:00.000Z' }
const release = (agentId: string) => ({ agentId, version: '1.4.0', environment: 'staging' })
const binding = (agentId: string, policyId: string) => ({ agentId, environment: 'staging', policyId, policyVersion: 1 })
const source = '@id("everything")\npermit (principal, action, resource);'
const canceled = { expectedRevision: 1, reason: 'No longer needed.' }
const inputEvent = (executionId: string) => ({
  source: 'urn:proof',
  id: randomUUID(),
  correlation: { executionId, input: 'confirmation' },
  data: null,
})
const unknownRevision = { expectedRevision: 1_000_000, reason: 'No longer needed.' }
const externalCall = (agentId: string) => ({
  agentId,
  environment: 'production',
  resource: 'payments/lookup_order',
  arguments: { id: 'A-1001' },
})
const absence = (delegate: string) => ({ delegate, ...anotherDay(), reason: 'On leave.' })
const reason = 'As agreed.'
const grantTerms = { uses: 1, until: new Date(Date.now() + 86_400_000).toISOString() }
const rootOf = ({ objects: { trace } }: World) => ({ traceId: trace, spanId: trace.slice(0, 16) })
/** Machines may be refused by these operations, because a machine can't have a delegate. */
const forPeople: Expected = { own: [200, 403] }
const signed = { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }
const credential = { ...signed, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } }
const confirmation = { ...signed, response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' } }
const exportOf = (exportId: string) => ({ exportId })

/**
 * One line for each operation of the catalog, by its address. The property tests fail for an operation without a line, for
 * a line without an operation, and for an operation that requires another permission.
 */
export const lines: Record<string, Line> = {
  'GET /v1/agents.check': ['agent:create', plain({ yaml: 'name: unregistered' })],
  'POST /v1/agents.create': [
    'agent:create',
    fresh(async (name, own) => ({ yaml: await manifest(name, own.tenant.slug) })),
  ],
  'GET /v1/agents.activity': ['execution:read', cell('agent', (id) => ({ agentIds: [id] }), { absent: 200 })],
  'GET /v1/agents.compare': ['agent:read', by('agent', (id) => ({ id, from: '1.4.0', to: '1.4.0' }))],
  'GET /v1/agents.versions': ['agent:read', by('agent', (id) => ({ id }))],
  'GET /v1/agents.get': ['agent:read', by('agent', (id) => ({ id }))],
  'GET /v1/agents.list': ['agent:read', plain(), filter('agent', 'cursor')],

  'GET /v1/agents.observed': ['agent:read', plain()],
  // The revision doesn't match, so the agent's state doesn't change.
  'POST /v1/agents.resume': ['agent:operate', by('agent', (id) => ({ id, ...canceled }), { own: [409] })],
  'POST /v1/agents.retire': ['agent:operate', by('agent', (id) => ({ id, ...canceled }), { own: [409] })],
  'POST /v1/agents.suspend': ['agent:operate', by('agent', (id) => ({ id, ...canceled }), { own: [409] })],

  // The world's request belongs to its execution, and its requester is another principal.
  'POST /v1/approvals.cancel': [
    'execution:start',
    by('approval', (approvalId) => ({ approvalId, reason }), { own: [403, 409] }),
  ],
  // The caller is neither the requester of the world's request nor always one of its reviewers.
  'POST /v1/approvals.answer': [
    'approval:list',
    by('approval', (approvalId) => ({ approvalId, questionId: approvalId, answer: 'Yes.' }), { own: [403, 404, 409] }),
  ],
  'POST /v1/approvals.open': ['approval:decide', by('approval', (approvalId) => ({ approvalId }))],
  'POST /v1/approvals.ask': [
    'approval:decide',
    by('approval', (approvalId) => ({ approvalId, question: 'Is it settled?' }), { own: [200, 403, 409] }),
  ],
  // The world's request is about a release, which is rejected instead.
  'POST /v1/approvals.requestChanges': [
    'approval:decide',
    by('approval', (approvalId) => ({ approvalId, reason }), { own: [409, 403] }),
  ],
  'POST /v1/approvals.revise': [
    'execution:start',
    by('approval', (approvalId) => ({ approvalId, changes: { amount: 1 } }), { own: [403, 409] }),
  ],
  'GET /v1/approvals.listGrants': ['approval:list', plain(), filter('agent', 'agentId')],
  'GET /v1/approvals.listGrantUses': ['approval:list', by('grant', (grantId) => ({ grantId }))],
  'GET /v1/approvals.previewGrant': ['approval:decide', by('approval', (approvalId) => ({ approvalId }))],
  // The world's request is not approved, or its amount needs a ceiling.
  'POST /v1/approvals.proposeGrant': [
    'approval:decide',
    by('approval', (approvalId) => ({ approvalId, terms: grantTerms, reason }), { own: [400, 403] }),
  ],
  // Only its proposer withdraws it, and only once.
  'POST /v1/approvals.revokeGrant': [
    'approval:decide',
    by('grant', (grantId) => ({ grantId, reason }), { own: [200, 403, 409] }),
  ],
  'GET /v1/approvals.watch': ['approval:list', by('approval', (approvalId) => ({ approvalId }))],
  'POST /v1/approvals.request': ['execution:start', by('agent', externalCall)],
  // A machine can't decide, and a request is decided only once.
  'POST /v1/approvals.decide': ['approval:decide', by('approval', decision, { own: [200, 403, 409] })],
  'GET /v1/approvals.get': ['approval:list', by('approval', (approvalId) => ({ approvalId }))],
  'GET /v1/approvals.getPending': ['approval:list', plain(), filter('approval', 'cursor')],
  'GET /v1/approvals.history': ['approval:list', by('approval', (approvalId) => ({ approvalId }))],
  'GET /v1/approvals.usualAmounts': [
    'approval:list',
    cell('approval', (approvalId) => ({ approvalIds: [approvalId] }), { absent: 200 }),
  ],
  'GET /v1/approvals.list': ['approval:list', plain(), filter('approval', 'cursor')],
  'GET /v1/approvals.oversight': ['audit:read', plain()],
  'GET /v1/approvals.mails.list': ['approval:list', by('approval', (approvalId) => ({ approvalId }))],
  // The revision doesn't match, so the mail's state doesn't change.
  'POST /v1/approvals.mails.retry': ['input:manage', by('mail', (id) => ({ id, ...unknownRevision }), { own: [409] })],

  'GET /v1/audit.checkpoint': ['any', plain()],
  'GET /v1/audit.facets': ['audit:read', plain()],
  'GET /v1/audit.get': ['audit:read', by('auditRecord', (auditId) => ({ auditId }))],
  'GET /v1/audit.list': ['audit:read', plain(), filter('execution', 'resourceId')],

  'GET /v1/catalog': ['any', plain()],
  'GET /v1/catalog.list': ['any', plain(undefined)],
  'GET /v1/openapi.json': ['any', plain()],

  'GET /v1/changes.stream': ['any', plain({ topics: ['tenants'] })],

  'POST /v1/connectionTokens.create': [
    'service-account:manage',
    by('machine', (serviceAccountId) => ({ name: 'exporter', serviceAccountId, use: 'telemetry' }), { absent: 400 }),
  ],
  'GET /v1/connectionTokens.list': [
    'service-account:manage',
    plain(),
    filter('machine', 'serviceAccountId'),
    filter('connectionToken', 'cursor'),
  ],
  'POST /v1/connectionTokens.revoke': ['service-account:manage', by('connectionToken', (id) => ({ id }))],

  'POST /v1/delegations.create': ['approval:decide', by('approver', absence, { ...forPeople, absent: 400 })],
  'GET /v1/alarms.list': ['audit:read', plain(), filter('alarm', 'cursor')],
  'POST /v1/alarms.close': [
    'tenant:manage',
    by('alarm', (id) => ({ id, reason: 'Read, understood and restored.' }), forPeople),
  ],

  'POST /v1/notifications.createChannel': [
    'tenant:manage',
    fresh((name) => ({
      kind: 'slack',
      name,
      address: 'https://hooks.example/services/T/B/x',
      events: ['alarm.raised'],
    })),
  ],
  'GET /v1/notifications.listChannels': ['tenant:manage', plain()],
  'GET /v1/notifications.listDeliveries': ['tenant:manage', plain(), filter('channel', 'channelId')],
  'POST /v1/notifications.removeChannel': ['tenant:manage', by('channel', (id) => ({ id, reason }))],
  // A message that waits to be sent.
  'POST /v1/notifications.resend': [
    'tenant:manage',
    by('notification', (id) => ({ id, expectedRevision: 1 }), { own: [409] }),
  ],
  'POST /v1/notifications.rotateSecret': [
    'tenant:manage',
    by('channel', (id) => ({ id, expectedRevision: 1 }), { own: [200, 409] }),
  ],
  'POST /v1/notifications.testChannel': ['tenant:manage', by('channel', (id) => ({ id }))],
  'POST /v1/notifications.updateChannel': [
    'tenant:manage',
    by('channel', (id) => ({ id, expectedRevision: 1, events: ['alarm.raised'] }), { own: [200, 409] }),
  ],
  'GET /v1/home.changes': ['any', plain()],
  'GET /v1/home.figures': ['any', plain()],
  'GET /v1/home.now': ['any', plain()],
  'GET /v1/search.find': [
    'any',
    ...(['agent', 'approval', 'execution', 'policy', 'trace'] as const).map((kind) =>
      cell(kind, (q) => ({ q }), { absent: 200 }),
    ),
  ],
  'GET /v1/search.names': [
    'audit:read',
    ...(['agent', 'approval', 'execution', 'policy', 'trace'] as const).map((type) =>
      cell(type, (id) => ({ objects: [{ type, id }] }), { absent: 200 }),
    ),
  ],
  'GET /v1/savedViews.list': ['approval:list', plain({ list: 'approvals' })],
  'POST /v1/savedViews.remove': ['approval:list', by('savedView', (id) => ({ id }), forPeople)],
  'POST /v1/savedViews.save': [
    'approval:list',
    fresh((name) => ({ list: 'approvals', name, search: { risk: 'high' } })),
  ],
  'POST /v1/delegations.end': ['approval:decide', by('delegation', (id) => ({ id }), forPeople)],
  'GET /v1/delegations.list': ['approval:decide', plain(), filter('delegation', 'cursor')],

  // The operation expects JSON-RPC, which these requests are not.
  'POST /v1/mcp/:agent/:server': [
    'execution:start',
    by('agent', (agent) => ({ agent, server: 'payments' }), { own: [400] }),
  ],

  'POST /v1/mcp/t/:externalId/:agent/:server': [
    'execution:start',
    by('tenantExternalId', (externalId, own) => ({ externalId, agent: own.objects.agent, server: 'payments' }), {
      own: [400],
      absent: 403,
    }),
  ],

  // The world's export covers today, so today's checkpoint exists.
  'GET /v1/log/:path{.+}': ['any', by('tenantExternalId', (id) => ({ path: `t/${id}/audit/${today()}/checkpoint` }))],

  // The erasure searches for the text, so any text is valid.
  'POST /v1/erasures.create': ['subject:erase', plain({ subject: 'unknown@nowhere.example', reason })],
  'GET /v1/erasures.list': ['subject:erase', plain()],

  'GET /v1/audit/file': ['audit:read', plain()],

  'GET /v1/evidence/estimate': ['evidence:export', plain(days), by('agent', (agentId) => ({ ...days, agentId }))],
  'GET /v1/evidence/export-jobs': ['evidence:list', plain(), filter('export', 'cursor')],
  'POST /v1/evidence/export-jobs': ['evidence:export', plain(period, { own: [202] })],
  'GET /v1/evidence/factory/jobs/:exportId': ['evidence:list', by('export', exportOf)],
  // The world's export has ended.
  'POST /v1/evidence/factory/jobs/:exportId/cancel': [
    'evidence:export',
    by('export', (exportId) => ({ exportId, ...canceled }), { own: [409], also: 'evidence:list' }),
  ],
  'GET /v1/evidence/factory/jobs/:exportId/download': [
    'evidence:read',
    by('export', exportOf, { also: 'evidence:list' }),
  ],
  'GET /v1/evidence/factory/jobs/:exportId/manifest': [
    'evidence:read',
    by('export', exportOf, { also: 'evidence:list' }),
  ],

  // The world's execution has ended.
  'POST /v1/executions.cancel': ['execution:cancel', by('execution', (id) => ({ id, ...canceled }), { own: [409] })],
  'GET /v1/executions.inputEvents.get': ['input:read', by('inputEvent', (receiptId) => ({ receiptId }))],
  'GET /v1/executions.inputEvents.list': [
    'input:read',
    plain(),
    filter('execution', 'executionId'),
    filter('inputEvent', 'cursor'),
  ],
  'GET /v1/executions.inputResolutions.list': [
    'input:read',
    plain(),
    filter('execution', 'executionId'),
    filter('inputResolution', 'cursor'),
  ],
  // The world's resolution is being delivered, so it can't be retried.
  'POST /v1/executions.inputResolutions.retry': [
    'input:manage',
    by('inputResolution', (id) => ({ id, ...canceled }), { own: [409] }),
  ],
  'POST /v1/executions.inputWaits.cancel': ['input:manage', by('inputWait', (id) => ({ id, ...canceled }))],
  'GET /v1/executions.inputWaits.list': [
    'input:read',
    plain(),
    filter('execution', 'executionId'),
    filter('inputWait', 'cursor'),
  ],
  // Accepted for any name, so that the sender does not learn whether the execution exists.
  'POST /v1/input-events': [
    'input:submit',
    by('execution', inputEvent, { absent: 202, own: [202] }),
    fresh((name, own) => ({ ...inputEvent(own.objects.execution), id: name }), { own: [202] }),
  ],

  'POST /v1/executions.execute': [
    'execution:start',
    by('agent', (agentId) => ({ agentId, environment: 'production', input: {} })),
  ],
  'GET /v1/executions.get': ['execution:read', by('execution', (id) => ({ id }))],
  'GET /v1/executions.getEvents': ['execution:read', by('execution', (id) => ({ id }))],
  'GET /v1/executions.list': ['execution:read', plain(), filter('agent', 'agentId'), filter('execution', 'cursor')],

  'GET /v1/files/:id': ['execution:read', by('file', (id) => ({ id }))],
  // The body is the file, with any content.
  'POST /v1/files': ['input:submit', plain({ any: 'thing' }, { own: [201] })],

  'POST /v1/groups.create': ['member:manage', fresh((name) => ({ name, displayName: name }))],
  'GET /v1/groups.list': ['member:manage', plain(), filter('group', 'cursor')],
  'GET /v1/groups.listProvisioned': ['member:manage', plain()],
  'POST /v1/groups.setMembers': [
    'member:manage',
    by('group', (id, own) => ({ id, expectedRevision: 1, memberIds: [own.objects.approver] })),
    // The world's group waits for approval after the first call.
    by('approver', (id, own) => ({ id: own.objects.group, expectedRevision: 1, memberIds: [id] }), {
      absent: 400,
      own: [200, 409],
    }),
  ],

  'POST /v1/holds.create': [
    'hold:manage',
    by('trace', (traceId) => ({ traceId, reason })),
    plain({ from: '2020-01-01', to: '2020-01-02', reason }),
  ],
  'GET /v1/holds.list': ['hold:manage', plain(), filter('hold', 'cursor')],
  'POST /v1/holds.release': ['hold:manage', by('hold', (id) => ({ id, expectedRevision: 1, reason }))],

  'POST /v1/logs': ['telemetry:write', plain()],

  'GET /v1/metrics': ['metrics:read', plain()],
  'POST /v1/metrics': ['telemetry:write', plain()],

  'POST /v1/members.invite': [
    'member:manage',
    // A machine invites and resets no one, and vouches for no one.
    fresh((name) => ({ email: `${name}@mail.example`, displayName: name, roles: [] }), forPeople),
  ],
  'GET /v1/members.list': ['member:manage', plain(), filter('member', 'cursor')],
  'POST /v1/members.remove': ['member:manage', by('member', (id) => ({ id, reason }))],
  'POST /v1/members.resetPassword': ['member:manage', by('member', (id) => ({ id }), forPeople)],
  // The world's members are active.
  'POST /v1/members.resume': ['member:manage', by('member', (id) => ({ id }), { own: [409] })],
  'POST /v1/members.setRoles': [
    'member:manage',
    by('member', (id) => ({ id, expectedRevision: 1, roles: ['viewer'] })),
  ],
  'POST /v1/members.suspend': ['member:manage', by('member', (id) => ({ id, reason }))],
  // The operator created the world's members, which is proof.
  'POST /v1/members.vouch': ['member:manage', by('member', (id) => ({ id, reason }), { own: [409, 403] })],

  'GET /v1/policies': ['policy:read', plain(), filter('policy', 'cursor')],
  'GET /v1/policies.budgets': ['policy:read', by('policy', (policyId) => ({ policyId }))],
  'POST /v1/policies': ['policy:author', fresh((name) => ({ name, source }), { own: [201] })],
  'GET /v1/policies.check': ['policy:author', plain({ source })],
  'GET /v1/policies.decisions': [
    'policy:read',
    plain(),
    by('policy', (policyId) => ({ policyId })),
    filter('agent', 'agentId'),
    filter('decision', 'cursor'),
  ],
  'GET /v1/policies.get': ['policy:read', by('policy', (id) => ({ id }))],
  'GET /v1/policies.list': ['policy:read', plain(), filter('policy', 'cursor')],
  'GET /v1/policies.preview': ['policy:author', plain({ source })],
  'GET /v1/policies.rules': ['policy:read', by('policy', (policyId) => ({ policyId, version: 1 }))],
  'GET /v1/policies.recompute': ['policy:read', by('decision', (decisionId) => ({ decisionId }))],
  'POST /v1/policies.evaluate': ['execution:start', by('agent', externalCall)],
  // The world's decisions belong to executions, not to an external agent.
  'POST /v1/policies.settle': [
    'execution:start',
    by('decision', (decisionId) => ({ decisionId, made: true }), { own: [409] }),
  ],
  // These calls lack a device's signature. server/passkeys/passkeys.test.ts tests signed ones.
  'POST /v1/passkeys.beginConfirmation': ['any', plain({ purpose: { act: 'register' } }, { own: [409, 403] })],
  'POST /v1/passkeys.beginRegistration': ['any', plain(undefined, forPeople)],
  'POST /v1/passkeys.finishRegistration': ['any', plain({ name: 'Laptop', credential }, { own: [409, 403] })],
  'GET /v1/passkeys.list': ['any', plain()],
  'POST /v1/passkeys.remove': ['any', plain({ id: randomUUID(), confirmation }, { own: [403] })],

  'GET /v1/policies.simulate': [
    'policy:author',
    by('policy', (policyId) => ({ policyId, version: 1, ...simulated })),
    cell('agent', (agentId, own) => ({ policyId: own.objects.policy, version: 1, agentId, ...simulated }), {
      absent: 200,
    }),
    cell('decision', (cursor, own) => ({ policyId: own.objects.policy, version: 1, cursor, ...simulated }), {
      absent: 200,
    }),
  ],
  'GET /v1/policies/:policyId/versions': ['policy:read', by('policy', (policyId) => ({ policyId }))],
  'POST /v1/policies/:policyId/versions': [
    'policy:author',
    by('policy', (policyId) => ({ policyId, source }), { own: [201] }),
  ],
  // The world's version is published already.
  'POST /v1/policies/:policyId/versions/:version/publish': [
    'policy:author',
    by('policy', (policyId) => ({ policyId, version: 1 }), { own: [409] }),
  ],
  'GET /v1/policyBindings.list': [
    'policy:read',
    plain(),
    filter('agent', 'agentId'),
    filter('policy', 'policyId'),
    filter('binding', 'cursor'),
  ],
  // The world's binding and release are active.
  'POST /v1/policyBindings.withdraw': ['binding:propose', by('binding', (id) => ({ id, ...canceled }), { own: [409] })],
  'POST /v1/policyBindings.revoke': [
    'binding:revoke',
    by('binding', (id) => ({ id, ...unknownRevision }), { own: [409] }),
  ],
  'POST /v1/policyBindings.propose': [
    'binding:propose',
    by('agent', (agentId, own) => binding(agentId, own.objects.policy)),
    by('policy', (policyId, own) => binding(own.objects.agent, policyId)),
  ],

  'GET /v1/releases.get': ['release:read', by('release', (id) => ({ id }))],
  'GET /v1/releases.list': ['release:read', plain(), filter('agent', 'agentId'), filter('release', 'cursor')],
  'POST /v1/releases.withdraw': ['release:propose', by('release', (id) => ({ id, ...canceled }), { own: [409] })],
  'POST /v1/releases.revoke': ['release:revoke', by('release', (id) => ({ id, ...unknownRevision }), { own: [409] })],
  'POST /v1/releases.propose': ['release:propose', by('agent', release)],

  'POST /v1/secrets.archive': [
    'secret:revoke',
    by('secret', (id) => ({ id })),
    by('apiKey', (id) => ({ id }), { own: [409] }),
  ],
  'POST /v1/secrets.create': ['secret:create', fresh((name) => ({ name, value: name }))],
  'POST /v1/secrets.createApiKey': ['secret:create', fresh((name) => ({ name, permissions: ['decisions:read'] }))],
  'GET /v1/secrets.get': [
    'secret:read',
    by('secret', (id) => ({ id })),
    by('secret', (id) => ({ id, includeValue: true }), { also: 'secret:read_value' }),
    by('apiKey', (id) => ({ id })),
  ],
  'GET /v1/secrets.list': ['secret:read', plain(), filter('secret', 'cursor')],
  'POST /v1/secrets.revoke': ['secret:revoke', by('secret', (id) => ({ id })), by('apiKey', (id) => ({ id }))],
  'POST /v1/secrets.setDestinations': [
    'secret:create',
    by('secret', (id) => ({ id, destinations: ['https://crm.example'], expectedRevision: 1 })),
    by('apiKey', (id) => ({ id, destinations: ['https://crm.example'], expectedRevision: 1 }), { own: [409] }),
  ],

  'POST /v1/serviceAccounts.create': ['service-account:manage', fresh((name) => ({ name, roles: ['viewer'] }))],
  'POST /v1/serviceAccounts.disable': ['service-account:manage', by('serviceAccount', (clientId) => ({ clientId }))],
  'POST /v1/serviceAccounts.enable': ['service-account:manage', by('serviceAccount', (clientId) => ({ clientId }))],
  'GET /v1/serviceAccounts.list': ['service-account:manage', plain(), filter('member', 'cursor')],
  'POST /v1/serviceAccounts.rotateSecret': [
    'service-account:manage',
    by('serviceAccount', (clientId) => ({ clientId })),
  ],

  'POST /v1/session.chooseLanguage': ['any', plain({ language: 'de' }, forPeople)],
  'POST /v1/session.acknowledgeReset': ['any', by('accountReset', (id) => ({ id }), forPeople)],
  'GET /v1/session.me': ['any', plain(undefined)],
  'GET /v1/session.watch': ['any', plain()],
  // The world's people did not sign in at the provider. server/identity/sessions/sessions.test.ts tests those of others.
  'POST /v1/sessions.end': ['any', plain({ id: 'unknown-session' })],
  'POST /v1/sessions.endOthers': ['any', plain(undefined)],
  'POST /v1/sessions.endProgram': ['any', plain({ id: 'unknown-session', clientId: 'registered:unknown' })],
  'GET /v1/sessions.list': ['any', plain(undefined)],
  'GET /v1/tenants.current': ['any', plain(undefined)],
  'GET /v1/tenants.getSettings': ['tenant:manage', plain(undefined)],
  'GET /v1/tenants.list': ['any', plain(), filter('tenant', 'cursor')],
  'POST /v1/tenants.updateBranding': ['tenant:manage', cell('nothing', (_, own) => ({ logoAlt: own.tenant.slug }))],
  // The revision doesn't match, so the world's settings don't change.
  'GET /v1/tenants.settingsHistory': ['audit:read', plain(undefined)],
  'POST /v1/tenants.updateSettings': [
    'tenant:manage',
    plain({ expectedRevision: 1_000_000, machineDecisions: 'off' }, { own: [409] }),
  ],

  'POST /v1/traces': ['telemetry:write', plain()],
  'GET /v1/traces.getSpan': [
    'trace:read',
    // The id of its root span is the first half of the trace id.
    by('trace', (traceId) => ({ traceId, spanId: traceId.slice(0, 16) })),
    by('tenantExternalId', (tenantId, own) => ({ ...rootOf(own), tenantId }), { absent: 403 }),
  ],
  'GET /v1/traces.getSpanProof': [
    'trace:verify',
    // The trace was recorded by an execution, so it is not part of a batch with a proof.
    by('trace', (traceId) => ({ traceId, spanId: traceId.slice(0, 16) }), { own: [409] }),
  ],
  'POST /v1/traces.unmask': [
    'trace:unmask',
    by('trace', (traceId) => ({
      traceId,
      purpose: 'Proof',
      justification: 'The property test reads the masked values.',
    })),
  ],
  'GET /v1/traces.getTrace': [
    'trace:read',
    by('trace', (traceId) => ({ traceId })),
    by('tenantExternalId', (tenantId, own) => ({ traceId: own.objects.trace, tenantId }), { absent: 403 }),
  ],
  'GET /v1/traces.list': ['trace:read', plain()],
  'GET /v1/traces.stream': [
    'trace:read',
    by('trace', (traceId) => ({ traceId })),
    by('execution', (executionId) => ({ executionId })),
  ],
  // A failed verification is a result, not an error.
  'GET /v1/traces.verify': [
    'trace:verify',
    by('auditRecord', (auditId, own) => ({ tenant: own.tenant.externalId, auditId }), { absent: 200 }),
    by('tenantExternalId', (tenant, own) => ({ tenant, auditId: own.objects.auditRecord }), { absent: 403 }),
  ],
}

export const cellsOf = (address: string): Cell[] => {
  const [, ...cells] = lines[address] ?? ['any']
  return cells
}

/** Returns the message for the author of a new operation whose line is missing. */
export const howToAddALine = (addresses: readonly string[]): string =>
  [
    'Add a line to server/testing/properties/operations.ts for:',
    ...addresses.map((address) => `  '${address}': ['<permission>', plain()],`),
    "with one cell for each way in which the input can name an object: by('<kind>', (id) => ({ <input that names it> })).",
    'Add a new kind of object to server/testing/properties/world.ts.',
  ].join('\n')
