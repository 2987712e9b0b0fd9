import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Role, rolePermissions } from '#lib/permissions.ts'
import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { proveByOperator } from '#server/tenants/account-control.ts'
import { findResetsToAcknowledge } from '#server/tenants/account-link-store.ts'
import { findMemberByUsername } from '#server/tenants/store.ts'
import { until } from '#server/testing/until.ts'
import type { PropertyServer } from './server.ts'
import { type PropertyTenant, propertyTenant } from './tenant.ts'

/** The kinds of objects that an input can name. For an operation that names a new kind, add it here, and an object below. */
export type Kind =
  | 'accountReset'
  | 'agent'
  | 'alarm'
  | 'apiKey'
  | 'approval'
  | 'approver'
  | 'auditRecord'
  | 'binding'
  | 'connectionToken'
  | 'decision'
  | 'delegation'
  | 'savedView'
  | 'channel'
  | 'notification'
  | 'execution'
  | 'export'
  | 'file'
  | 'group'
  | 'hold'
  | 'inputEvent'
  | 'inputResolution'
  | 'inputWait'
  | 'machine'
  | 'mail'
  | 'member'
  | 'grant'
  | 'policy'
  | 'release'
  | 'secret'
  | 'serviceAccount'
  | 'tenant'
  | 'tenantExternalId'
  | 'trace'

export type Credential = 'person' | 'service_account' | 'api_key'

/** A tenant with one real object of each kind, and callers with every permission that their kind can have. */
export type World = {
  tenant: PropertyTenant
  objects: Record<Kind, string>
  /** Creates another object, for operations that use an object up. */
  another: Partial<Record<Kind, () => Promise<string>>>
  /** The headers that authenticate each kind of caller. */
  credentials: Record<Credential, Record<string, string>>
}

export const everyRole = Object.keys(rolePermissions) as Role[]
const approverGroups = ['change-approvers', 'refund-approvers', 'escalation']

const dayMs = 86_400_000
let days = 0
/** A later day each time, the first from now on: the same delegate is not named twice for the same time. */
export function anotherDay(): { from: string; until: string } {
  const from = Date.now() + 2 * dayMs * days++
  return { from: new Date(from).toISOString(), until: new Date(from + dayMs).toISOString() }
}

/** Creates a world over HTTP as a service account of the tenant. Each object contains the canary `slug`. */
export async function buildWorld(server: PropertyServer, slug: string): Promise<World> {
  const tenant = await propertyTenant(server, slug)
  const person = await tenant.signedIn('pat', everyRole, approverGroups)
  const reviewer = await tenant.signedIn('rae', everyRole, approverGroups)
  // The requester of a change and its beneficiary can't approve it, so a third member is needed.
  await tenant.signedIn('sam', everyRole, approverGroups)
  // The agent's owner can't decide about the agent (separation of duties), so she is only an owner here.
  await tenant.person('olga', [])
  const api = apiOf(server.baseUrl, await tenant.machine('maker', everyRole))

  const yaml = await manifest(`agent-of-${slug}`, slug)
  const { agentId } = await api.mutate<{ agentId: string }>('agents.create', { yaml })
  const policy = await publishPolicy(api, slug)
  const binding = await api.mutate<{ bindingId: string; approvalId: string }>('policyBindings.propose', {
    agentId,
    environment: 'production',
    policyId: policy,
    policyVersion: 1,
    mode: 'enforce',
  })
  await approve(server, reviewer, binding.approvalId, slug)
  const release = await api.mutate<{ releaseId: string; approvalId: string }>('releases.propose', {
    agentId,
    version: '1.4.0',
    environment: 'production',
  })
  await approve(server, reviewer, release.approvalId, slug)
  const { executionId, traceId } = await api.mutate<{ executionId: string; traceId: string }>('executions.execute', {
    agentId,
    environment: 'production',
    input: { orderId: 'A-1001', note: slug },
  })
  const made = await api.send<{ exportId: string }>('POST', '/v1/evidence/export-jobs', {
    startDate: new Date(Date.now() - 86_400_000).toISOString(),
    endDate: new Date(Date.now() + 86_400_000).toISOString(),
    includeProofs: true,
  })
  const waiting = await waitingExecution(api, (approvalId) => approve(server, reviewer, approvalId, slug), slug, policy)
  const input = await waiting()
  const approval = await until(async () => {
    const { items } = await api.query<{ items: { approvalId: string; kind: string }[] }>('approvals.getPending', {})
    return items.find((item) => item.kind === 'tool_call')?.approvalId
  }, 'the refund waits for a person')
  await until(async () => {
    const job = await api.send<{ status: string }>('GET', `/v1/evidence/factory/jobs/${made.exportId}`)
    return job.status.startsWith('completed') ? true : undefined
  }, 'the export is complete')
  const journal = await api.query<{ items: { data?: { decisionId?: string } }[] }>('executions.getEvents', {
    id: executionId,
  })
  const records = await api.query<{ items: { auditId: string }[] }>('audit.list', {})
  const mails = await api.query<{ items: { id: string }[] }>('approvals.mails.list', { approvalId: approval })
  const own = apiOf(server.baseUrl, person)
  const another = {
    ...makers(own, tenant, slug),
    inputWait: async () => (await waiting()).wait,
    grant: () => proposedGrant(),
  }
  /** From a call of an agent elsewhere that a reviewer approved. */
  const proposedGrant = async () => {
    const { approvalId } = await api.mutate<{ approvalId: string }>('approvals.request', {
      agentId,
      environment: 'production',
      resource: 'payments/issue_refund',
      arguments: { id: slug },
    })
    await approve(server, reviewer, approvalId, slug)
    const terms = { uses: 1, until: new Date(Date.now() + 86_400_000).toISOString() }
    const grant = { approvalId, terms, reason: `As ${slug} does each week.` }
    return (await own.mutate<{ grantId: string }>('approvals.proposeGrant', grant)).grantId
  }
  const reader = { name: slug, permissions: ['decisions:read'] }
  return {
    tenant,
    another,
    objects: {
      accountReset: await resetOf(tenant, 'pat'),
      agent: agentId,
      alarm: await another.alarm(),
      apiKey: await another.apiKey(),
      approval,
      approver: await tenant.memberId('rae'),
      auditRecord: records.items[0]?.auditId ?? '',
      binding: binding.bindingId,
      grant: await another.grant(),
      connectionToken: await another.connectionToken(),
      decision: journal.items.flatMap(({ data }) => data?.decisionId ?? [])[0] ?? '',
      delegation: await another.delegation(),
      savedView: await another.savedView(),
      channel: await another.channel(),
      notification: await another.notification(),
      execution: executionId,
      export: made.exportId,
      file: (await api.send<{ id: string }>('POST', `/v1/files?name=${slug}`, { content: slug })).id,
      group: await another.group(),
      hold: await another.hold(),
      inputEvent: input.event,
      inputResolution: input.resolution,
      inputWait: input.wait,
      machine: await another.machine(),
      mail: mails.items[0]?.id ?? '',
      member: await another.member(),
      policy,
      release: release.releaseId,
      secret: await another.secret(),
      serviceAccount: await another.serviceAccount(),
      tenant: tenant.id,
      tenantExternalId: tenant.externalId,
      trace: traceId,
    },
    credentials: {
      person: { authorization: `Bearer ${person}` },
      service_account: { authorization: `Bearer ${await tenant.machine('bot', everyRole)}` },
      api_key: { 'x-svc-api-key': (await own.mutate<{ key: string }>('secrets.createApiKey', reader)).key },
    },
  }
}

/** Starts executions that wait for two inputs and have received one: an open wait, an event, and its delivery. */
async function waitingExecution(
  api: Api,
  approved: (approvalId: string) => Promise<unknown>,
  slug: string,
  policyId: string,
): Promise<() => Promise<{ wait: string; event: string; resolution: string }>> {
  const manifest = {
    metadata: { name: `waiter-of-${slug}`, version: '1.0.0' },
    spec: {
      owner: `olga@${slug}.example`,
      runtime: { steps: [{ id: 'both', wait: { all: ['confirmation', 'amount'] } }] },
      inputs: [{ name: 'confirmation' }, { name: 'amount' }],
    },
  }
  const { agentId } = await api.mutate<{ agentId: string }>('agents.create', { yaml: JSON.stringify(manifest) })
  const agent = { agentId, environment: 'production' }
  const proposals = [
    ['policyBindings.propose', { ...agent, policyId, policyVersion: 1, mode: 'enforce' }],
    ['releases.propose', { ...agent, version: '1.0.0' }],
  ] as const
  for (const [name, input] of proposals)
    await approved((await api.mutate<{ approvalId: string }>(name, input)).approvalId)
  return async () => {
    const { executionId } = await api.mutate<{ executionId: string }>('executions.execute', { ...agent, input: {} })
    const wait = await until(async () => {
      const { items } = await api.query<{ items: { id: string; input: string }[] }>('executions.inputWaits.list', {
        executionId,
      })
      return items.find(({ input }) => input === 'amount')?.id
    }, 'the execution waits for input')
    const event = { correlation: { executionId, input: 'confirmation' }, data: slug, source: slug, id: executionId }
    const { receiptId } = await api.send<{ receiptId: string }>('POST', '/v1/input-events', event)
    const { items } = await api.query<{ items: { id: string }[] }>('executions.inputResolutions.list', { executionId })
    return { wait, event: receiptId, resolution: items[0]?.id ?? '' }
  }
}

/** Creates objects that operations use up. `api` acts as a person, because some objects belong to their creator. */
function makers(api: Api, tenant: PropertyTenant, slug: string) {
  const name = () => `${slug.slice(0, 20)}-${randomBytes(8).toString('hex')}`
  const machine = async () => {
    const account = { name: name(), roles: ['traces:write'] }
    return await tenant.memberId((await api.mutate<{ clientId: string }>('serviceAccounts.create', account)).clientId)
  }
  return {
    async alarm() {
      const subject = name()
      await raiseAlarm(tenant.id, { kind: 'object', subject, reason: slug })
      const { items } = await api.query<{ items: { id: string; subject: string }[] }>('alarms.list', {})
      return items.find((alarm) => alarm.subject === subject)?.id ?? ''
    },
    async apiKey() {
      const key = { name: name(), permissions: [] }
      return (await api.mutate<{ apiKey: { id: string } }>('secrets.createApiKey', key)).apiKey.id
    },
    async connectionToken() {
      const token = { name: name(), serviceAccountId: await machine(), use: 'telemetry' }
      return (await api.mutate<{ id: string }>('connectionTokens.create', token)).id
    },
    async delegation() {
      const absence = { delegate: 'rae', ...anotherDay(), reason: slug }
      return (await api.mutate<{ delegation: { id: string } }>('delegations.create', absence)).delegation.id
    },
    async group() {
      const group = { name: name(), displayName: slug }
      return (await api.mutate<{ group: { id: string } }>('groups.create', group)).group.id
    },
    async hold() {
      const hold = { from: '2020-01-01', to: '2020-01-02', reason: slug }
      return (await api.mutate<{ holdId: string }>('holds.create', hold)).holdId
    },
    machine,
    async member() {
      const username = name()
      await tenant.person(username, [])
      return await tenant.memberId(username)
    },
    async channel() {
      // Refused without a call, so that no job changes the delivery later.
      const address = `https://localhost/${slug}`
      const channel = { kind: 'webhook', name: name(), address, events: ['export.ready'] }
      return (await api.mutate<{ id: string }>('notifications.createChannel', channel)).id
    },
    async notification() {
      // Refused without a call, so that no job changes the delivery later.
      const address = `https://localhost/${slug}`
      const channel = { kind: 'webhook', name: name(), address, events: ['export.ready'] }
      const { id } = await api.mutate<{ id: string }>('notifications.createChannel', channel)
      return (await api.mutate<{ deliveryId: string }>('notifications.testChannel', { id })).deliveryId
    },
    async savedView() {
      const view = { list: 'approvals', name: name(), search: { q: slug }, shared: true }
      return (await api.mutate<{ id: string }>('savedViews.save', view)).id
    },
    secret: async () =>
      (await api.mutate<{ secretId: string }>('secrets.create', { name: name(), value: slug })).secretId,
    serviceAccount: async () =>
      (await api.mutate<{ clientId: string }>('serviceAccounts.create', { name: name(), roles: ['viewer'] })).clientId,
  } satisfies World['another']
}

/** Returns an agent's manifest that names people of the tenant. */
export async function manifest(name: string, slug: string): Promise<string> {
  const text = await readFile(new URL('../../demo/refund-assistant.yaml', import.meta.url), 'utf8')
  return text
    .replace('name: refund-assistant', `name: ${name}`)
    .replace('tier: high', 'tier: medium')
    .replace('displayName: Refund assistant', `displayName: Refund assistant of ${slug}`)
    .replace('maria@northwind.example', `olga@${slug}.example`)
}

/** Publishes the demo's policy. Returns its id. */
export async function publishPolicy(api: Api, slug: string): Promise<string> {
  const source = await readFile(new URL('../../demo/refund-policy.cedar', import.meta.url), 'utf8')
  const { id } = await api.send<{ id: string }>('POST', '/v1/policies', {
    name: `policy-of-${slug}`,
    description: slug,
  })
  await api.send('POST', `/v1/policies/${id}/versions`, { source: `// ${slug}\n${source}` })
  await api.send('POST', `/v1/policies/${id}/versions/1/publish`, {})
  return id
}

const approve = ({ baseUrl }: PropertyServer, token: string, approvalId: string, slug: string) =>
  apiOf(baseUrl, token).mutate('approvals.decide', {
    approvalId,
    decision: 'approve',
    decisionAcknowledged: true,
    reason: `Read by ${slug}.`,
  })

/** A reset by the operator, of which the person has not been told yet. */
const resetOf = (tenant: PropertyTenant, username: string): Promise<string> =>
  runtime().database.inTenant(tenant.id, async (tx) => {
    const account = await findMemberByUsername(tx, tenant.id, username)
    await proveByOperator(tx, tenant.id, account, 'reset')
    const [reset] = await findResetsToAcknowledge(tx, tenant.id, account)
    return reset?.id ?? ''
  })

export type Api = ReturnType<typeof apiOf>

/** Functions that call the API and throw if the call fails. */
export function apiOf(baseUrl: string, token: string) {
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text) as T
  }
  type Result<T> = { result: { data: { json: T } } }
  return {
    send,
    query: async <T>(name: string, input: unknown): Promise<T> =>
      (await send<Result<T>>('GET', `/v1/${name}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`)).result
        .data.json,
    mutate: async <T>(name: string, input: unknown): Promise<T> =>
      (await send<Result<T>>('POST', `/v1/${name}`, { json: input })).result.data.json,
  }
}
