import { create as createGroup } from '#server/access/groups/create.ts'
import { resetPassword } from '#server/access/members/reset-password.ts'
import { setRoles } from '#server/access/members/set-roles.ts'
import { updateSettings } from '#server/access/update-settings.ts'
import { create as createAgent } from '#server/agents/create.ts'
import { cancelRequest } from '#server/approvals/cancel-request.ts'
import { requestApproval } from '#server/approvals/request.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId, newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { propose as proposeRelease } from '#server/releases/propose.ts'
import { findTenantRevision, lockTenant } from '#server/tenants/store.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { approverGroup, presentation } from '#server/testing/approval-request.ts'
import type { Organisation } from '#server/testing/people.ts'
import { insertTrace } from '#server/traces/store.ts'
import { unmask } from '#server/traces/unmask.ts'

export const roles = ['tenant_admin', 'approver', 'developer']
export const groups = ['change-approvers', 'escalation', approverGroup]

/** Each kind of request that people decide. */
export type Kind =
  | 'tool_call'
  | 'external_call'
  | 'unmask'
  | 'release'
  | 'binding'
  | 'labels'
  | 'role_grant'
  | 'group_change'
  | 'setting_change'
  | 'password_reset'
/** What a developer's service account may ask for. */
export const machineKinds: readonly Kind[] = ['tool_call', 'external_call', 'release', 'binding', 'labels']
/** Requests about an agent. */
export const ownedKinds: readonly Kind[] = ['tool_call', 'external_call', 'release', 'binding', 'labels']

type Ask = (by: Caller, about?: { owner?: Caller; gains?: Caller; quorum?: number }) => Promise<string>
export type Asks = Record<Kind, Ask>

let calls = 0
export const call = <I, O>(operation: Operation<I, O>, caller: Caller, input: unknown): Promise<O> =>
  execute(operation, caller, input, { name: `test.${calls++}` })

const approvalOf = ({ change }: { change: { approvalId: string } | null }): string => change?.approvalId ?? ''

/** Makes one request of each kind, on a new subject each time. Owners, and members who would gain, are others unless named. */
export async function asks(at: Organisation): Promise<Asks> {
  const { tenant } = at
  const olga = await at.person('olga', ['developer'])
  const { id: policyId } = await call(createPolicy, olga, { name: `policy-${newSpanId()}` })
  const source = '@id("all") permit (principal, action, resource);'
  await call(createVersion, olga, { policyId, source })
  await call(publishVersion, olga, { policyId, version: 1 })
  const agent = async (owner: Caller, labels: Record<string, string> = {}) => {
    const yaml = JSON.stringify({
      metadata: { name: `agent-${newSpanId()}`, labels },
      spec: { runtime: { observe: {} } },
    })
    return (await call(createAgent, owner, { yaml })).agent
  }
  const bound = { environment: 'production', policyId, policyVersion: 1, mode: 'enforce' }
  const other = (owned: string[]) => at.person(`gil-${newSpanId()}`, owned)
  let pending: string | undefined
  /** A request as an execution or an external agent makes it; what happens after the decision is not part of these tests. */
  const callOf =
    (kind: 'tool_call' | 'external_call'): Ask =>
    async (by, { owner, quorum = 1 } = {}) => {
      const agents = owner === undefined ? [] : [(await agent(owner)).id]
      const { approvalId } = await runtime().database.inTenant(tenant.id, (tx) =>
        requestApproval(tx, by.tenant, {
          kind,
          subjectId: newId(),
          payload: { nonce: newId() },
          presentation,
          requestedBy: by.principal.memberId,
          agents,
          group: approverGroup,
          quorum,
          expiresAfterSeconds: 3600,
        }),
      )
      return approvalId
    }
  return {
    tool_call: callOf('tool_call'),
    external_call: callOf('external_call'),
    async unmask(by) {
      const traceId = newTraceId()
      const unmasker = {
        tenant: { ...by.tenant, settings: { unmaskSecondPerson: 'required' } },
        requestId: by.requestId,
        principal: { ...by.principal, permissions: new Set([...by.principal.permissions, 'trace:unmask' as const]) },
      }
      await runtime().database.inTenant(tenant.id, (tx) =>
        insertTrace(tx, {
          tenantId: tenant.id,
          traceId,
          name: 'refund',
          executionId: null,
          agentId: null,
          startedAt: new Date(),
        }),
      )
      const input = {
        traceId,
        purpose: 'A complaint.',
        justification: 'The customer asked what was stored about them.',
      }
      const { approvalId } = await call(unmask, unmasker, input)
      return approvalId ?? ''
    },
    async release(by, { owner = olga } = {}) {
      const { id, version } = await agent(owner)
      return (await call(proposeRelease, by, { agentId: id, version, environment: 'production' })).approvalId
    },
    async binding(by, { owner = olga } = {}) {
      return (await call(proposeBinding, by, { ...bound, agentId: (await agent(owner)).id })).approvalId
    },
    async labels(by, { owner = olga } = {}) {
      const selector = { team: newSpanId() }
      await agent(owner, selector)
      return (await call(proposeBinding, by, { ...bound, selector })).approvalId
    },
    async role_grant(by, { gains } = {}) {
      const { principal } = gains ?? (await other(['viewer']))
      const wanted = [...principal.roles, 'privacy_officer']
      // An earlier case may have granted or requested it.
      const before = await at.caller(principal.memberId)
      if (before.principal.roles.includes('privacy_officer'))
        await at.appoint(principal.memberId, [...principal.roles], [])
      const revision = async () =>
        (
          await runtime().database.inTenant(tenant.id, (tx) =>
            tx
              .selectFrom('members')
              .select('revision')
              .where('tenantId', '=', tenant.id)
              .where('id', '=', principal.memberId)
              .executeTakeFirstOrThrow(),
          )
        ).revision
      const input = { id: principal.memberId, expectedRevision: await revision(), roles: wanted }
      return approvalOf(await call(setRoles, by, input))
    },
    async group_change(by, { gains } = {}) {
      const { principal } = gains ?? (await other(['approver']))
      const name = `group-${newSpanId()}`
      return approvalOf(await call(createGroup, by, { name, displayName: name, memberIds: [principal.memberId] }))
    },
    async setting_change(by) {
      const before = pending
      const set = async (machineDecisions: string) =>
        await call(updateSettings, by, {
          machineDecisions,
          expectedRevision: await runtime().database.inTenant(tenant.id, (tx) => findTenantRevision(tx, tenant.id)),
        })
      // One request of this kind can wait at a time.
      if (before !== undefined)
        await runtime().database.inTenant(tenant.id, (tx) => cancelRequest(tx, by.tenant, before, newId()))
      const stored = await runtime().database.inTenant(tenant.id, (tx) => lockTenant(tx, tenant.id))
      if (settingsOf(stored).machineDecisions === 'on') await set('off')
      pending = approvalOf(await set('on'))
      return pending
    },
    async password_reset(by) {
      const { principal } = await other(['privacy_officer'])
      return approvalOf(await call(resetPassword, by, { id: principal.memberId }))
    },
  }
}
