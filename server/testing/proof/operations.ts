import type { Permission } from '#lib/permissions.ts'
import type { Input } from './call.ts'
import { type Kind, manifest, type World } from './world.ts'

/** One way in which an operation's input can name something. */
export type Cell = {
  /** An object; a name that the caller chooses, which another tenant may have too; nothing at all. */
  names: Kind | 'new name' | 'nothing'
  input(named: string, own: World): Input | undefined | Promise<Input>
  /** Status for an object of another tenant, and for one that never existed. */
  absent: number
  /** Statuses that show that the caller's own object was reached. */
  own: readonly number[]
  /** A permission that the operation asks for inside, besides its own. */
  also?: Permission
}

type Expected = Partial<Pick<Cell, 'absent' | 'own' | 'also'>>
const cell = (names: Cell['names'], input: Cell['input'], expected: Expected = {}): Cell => ({
  names,
  input,
  absent: 404,
  own: [200],
  ...expected,
})
const by = (kind: Kind, input: Cell['input'], expected?: Expected) => cell(kind, input, expected)
/** A list answers an empty page where the filter or the cursor names what is not there. */
const filter = (kind: Kind, key: string) => cell(kind, (id) => ({ [key]: id }), { absent: 200 })
const fresh = (input: Cell['input'], expected?: Expected) => cell('new name', input, expected)
const plain = (input: Input | undefined = {}, expected?: Expected) => cell('nothing', () => input, expected)

const decision = (approvalId: string) => ({
  approvalId,
  decision: 'approve',
  decisionAcknowledged: true,
  reason: 'Read and found right.',
})
const period = {
  startDate: '2026-01-01T00:00:00.000Z',
  endDate: '2026-01-02T00:00:00.000Z',
  includeProofs: false,
}
const release = (agentId: string) => ({ agentId, version: '1.4.0', environment: 'staging' })
const binding = (agentId: string, policyId: string) => ({ agentId, environment: 'staging', policyId, policyVersion: 1 })
const source = '@id("everything")\npermit (principal, action, resource);'
const canceled = { expectedRevision: 1, reason: 'No longer needed.' }

/**
 * One line for each operation of the catalog, by its address: every way in which its input can name something. The proofs
 * fail for an operation without a line, and for a line without an operation.
 */
export const lines: Record<string, readonly Cell[]> = {
  'POST /v1/agents.create': [fresh(async (name, own) => ({ yaml: await manifest(name, own.tenant.slug) }))],
  'GET /v1/agents.get': [by('agent', (id) => ({ id }))],
  'GET /v1/agents.list': [plain(), filter('agent', 'cursor')],

  // A machine decides nothing, and a request is decided once.
  'POST /v1/approvals.decide': [by('approval', decision, { own: [200, 403, 409] })],
  'GET /v1/approvals.get': [by('approval', (approvalId) => ({ approvalId }))],
  'GET /v1/approvals.getPending': [plain(), filter('approval', 'cursor')],
  'GET /v1/approvals.list': [plain(), filter('approval', 'cursor')],

  'GET /v1/audit.checkpoint': [plain()],
  'GET /v1/audit.get': [by('auditRecord', (auditId) => ({ auditId }))],
  'GET /v1/audit.list': [plain()],

  'GET /v1/catalog': [plain()],
  'GET /v1/catalog.list': [plain(undefined)],
  'GET /v1/openapi.json': [plain()],

  'GET /v1/evidence/export-jobs': [plain(), filter('export', 'cursor')],
  'POST /v1/evidence/export-jobs': [plain(period, { own: [202] })],
  'GET /v1/evidence/factory/jobs/:exportId': [by('export', (exportId) => ({ exportId }), { also: 'evidence:list' })],
  // The world's export has ended.
  'POST /v1/evidence/factory/jobs/:exportId/cancel': [
    by('export', (exportId) => ({ exportId, ...canceled }), { own: [409], also: 'evidence:list' }),
  ],
  'GET /v1/evidence/factory/jobs/:exportId/download': [
    by('export', (exportId) => ({ exportId }), { also: 'evidence:list' }),
  ],
  'GET /v1/evidence/factory/jobs/:exportId/manifest': [
    by('export', (exportId) => ({ exportId }), { also: 'evidence:list' }),
  ],

  'POST /v1/executions.execute': [by('agent', (agentId) => ({ agentId, environment: 'production', input: {} }))],
  'GET /v1/executions.get': [by('execution', (id) => ({ id }))],
  'GET /v1/executions.getEvents': [by('execution', (id) => ({ id }))],
  'GET /v1/executions.list': [plain(), filter('agent', 'agentId'), filter('execution', 'cursor')],

  'GET /v1/policies': [plain(), filter('policy', 'cursor')],
  'POST /v1/policies': [fresh((name) => ({ name }), { own: [201] })],
  'GET /v1/policies.get': [by('policy', (id) => ({ id }))],
  'GET /v1/policies.list': [plain(), filter('policy', 'cursor')],
  'GET /v1/policies/:policyId/versions': [by('policy', (policyId) => ({ policyId }))],
  'POST /v1/policies/:policyId/versions': [by('policy', (policyId) => ({ policyId, source }), { own: [201] })],
  // The world's version is published already.
  'POST /v1/policies/:policyId/versions/:version/publish': [
    by('policy', (policyId) => ({ policyId, version: 1 }), { own: [409] }),
  ],
  'GET /v1/policyBindings.list': [plain(), filter('agent', 'agentId'), filter('binding', 'cursor')],
  'POST /v1/policyBindings.propose': [
    by('agent', (agentId, own) => binding(agentId, own.objects.policy)),
    by('policy', (policyId, own) => binding(own.objects.agent, policyId)),
  ],

  'GET /v1/releases.get': [by('release', (id) => ({ id }))],
  'GET /v1/releases.list': [plain(), filter('agent', 'agentId'), filter('release', 'cursor')],
  'POST /v1/releases.propose': [by('agent', release)],

  'GET /v1/session.me': [plain(undefined)],
  'GET /v1/tenants.current': [plain(undefined)],

  'GET /v1/traces.getTrace': [
    by('trace', (traceId) => ({ traceId })),
    by('tenantExternalId', (tenantId, own) => ({ traceId: own.objects.trace, tenantId }), { absent: 403 }),
  ],
  'GET /v1/traces.list': [plain()],
  'GET /v1/traces.stream': [
    by('trace', (traceId) => ({ traceId })),
    by('execution', (executionId) => ({ executionId })),
  ],
  // What can't be verified is an answer.
  'GET /v1/traces.verify': [
    by('auditRecord', (auditId, own) => ({ tenant: own.tenant.externalId, auditId }), { absent: 200 }),
    by('tenantExternalId', (tenant, own) => ({ tenant, auditId: own.objects.auditRecord }), { absent: 403 }),
  ],
}

/** What a new operation's author reads when the proofs miss its line. */
export const howToAddALine = (addresses: readonly string[]): string =>
  addresses.length === 0
    ? ''
    : [
        'Add a line to server/testing/proof/operations.ts for:',
        ...addresses.map(
          (address) => `  '${address}': [plain()],   // or by('<kind>', (id) => ({ <input that names it> }))`,
        ),
        'One cell for each way in which the input can name an object; a new kind of object is made in world.ts.',
      ].join('\n')
