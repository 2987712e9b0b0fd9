import type { Permission } from '#lib/permissions.ts'
import { findAgent } from '#server/agents/store.ts'
import { findApproval } from '#server/approvals/store.ts'
import { findExecution } from '#server/executions/state/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findMemberOfMail } from '#server/mail/store.ts'
import { findChannel } from '#server/notifications/channel-store.ts'
import { findBinding } from '#server/policies/bindings/binding-store.ts'
import { findPolicy } from '#server/policies/store.ts'
import { findRelease } from '#server/releases/store.ts'
import { recordedName } from '#server/scim/groups/recorded-name.ts'
import { findGroup } from '#server/scim/groups/store.ts'
import { findSecret } from '#server/secrets/store.ts'
import { findGroupById } from '#server/tenants/group-store.ts'
import { findMembers } from '#server/tenants/store.ts'
import { findTrace } from '#server/traces/store.ts'
import { idForms } from './id-forms.ts'

type Namer = {
  permission: Permission
  /** What its ids look like. */
  id: RegExp
  name(tx: Transaction, tenantId: string, id: string): Promise<string | undefined>
}

const { uuid, traceId } = idForms

/** What the objects of audit records are called, by the type of the resource. Members are named in every record. */
export const namers: Readonly<Record<string, Namer>> = {
  agent: {
    permission: 'agent:read',
    id: uuid,
    name: async (tx, tenantId, id) => (await findAgent(tx, tenantId, id))?.displayName,
  },
  approval: {
    permission: 'approval:list',
    id: uuid,
    async name(tx, tenantId, id) {
      const row = await findApproval(tx, tenantId, id)
      return row === undefined ? undefined : effectIn(row.presentation)
    },
  },
  execution: {
    permission: 'execution:read',
    id: uuid,
    name: async (tx, tenantId, id) => (await findExecution(tx, tenantId, id))?.agentDisplayName,
  },
  group: {
    permission: 'audit:read',
    id: uuid,
    name: async (tx, tenantId, id) => (await findGroupById(tx, tenantId, id))?.displayName,
  },
  // Whom it is for; what it says is content.
  mail: {
    permission: 'audit:read',
    id: uuid,
    async name(tx, tenantId, id) {
      const memberId = await findMemberOfMail(tx, tenantId, id)
      return memberId === undefined ? undefined : (await findMembers(tx, tenantId, [memberId]))[0]?.displayName
    },
  },
  member: {
    permission: 'audit:read',
    id: uuid,
    name: async (tx, tenantId, id) => (await findMembers(tx, tenantId, [id]))[0]?.displayName,
  },
  notification_channel: {
    permission: 'tenant:manage',
    id: uuid,
    name: async (tx, tenantId, id) => (await findChannel(tx, tenantId, id))?.name,
  },
  policy: {
    permission: 'policy:read',
    id: uuid,
    name: async (tx, tenantId, id) => (await findPolicy(tx, tenantId, id))?.name,
  },
  policy_binding: {
    permission: 'policy:read',
    id: uuid,
    async name(tx, tenantId, id) {
      const row = await findBinding(tx, tenantId, id)
      return row && `${row.policyName} version ${row.policyVersion} in ${row.environment}`
    },
  },
  provider_group: {
    permission: 'audit:read',
    id: uuid,
    name: async (tx, tenantId, id) =>
      (await findGroup(tx, tenantId, id))?.name ?? (await recordedName(tx, tenantId, id)),
  },
  release: {
    permission: 'release:read',
    id: uuid,
    async name(tx, tenantId, id) {
      const row = await findRelease(tx, tenantId, id)
      return row && `${row.agentName} ${row.version} in ${row.environment}`
    },
  },
  secret: {
    permission: 'secret:read',
    id: uuid,
    name: async (tx, tenantId, id) => (await findSecret(tx, tenantId, id))?.name,
  },
  trace: {
    permission: 'trace:read',
    id: traceId,
    name: async (tx, tenantId, id) => (await findTrace(tx, tenantId, id))?.name,
  },
}

/** "refund of €4,200.00 for A-1001", of the title "Issue refund of €4,200.00 for A-1001". */
function effectIn({ title, effectLabel }: { title: string; effectLabel: string }): string {
  const at = title.indexOf(effectLabel)
  return at < 0 ? effectLabel : title.slice(at)
}
