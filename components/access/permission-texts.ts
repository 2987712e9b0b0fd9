import { rolesText } from '#components/session/people-with.ts'
import * as t from '#components/texts/permissions/en.ts'
import type { Permission, Role } from '#lib/permissions.ts'

/** What a permission allows, to complete "You can …". */
export const permissionText: Record<Permission, string> = {
  'agent:read': t.agentRead,
  'agent:create': t.agentCreate,
  'agent:operate': t.agentOperate,
  'release:read': t.releaseRead,
  'release:propose': t.releasePropose,
  'release:revoke': t.releaseRevoke,
  'binding:propose': t.bindingPropose,
  'binding:revoke': t.bindingRevoke,
  'policy:read': t.policyRead,
  'policy:author': t.policyAuthor,
  'execution:read': t.executionRead,
  'execution:start': t.executionStart,
  'execution:cancel': t.executionCancel,
  'input:submit': t.inputSubmit,
  'input:read': t.inputRead,
  'input:manage': t.inputManage,
  'approval:list': t.approvalList,
  'approval:decide': t.approvalDecide,
  'trace:read': t.traceRead,
  'trace:verify': t.traceVerify,
  'trace:unmask': t.traceUnmask,
  'telemetry:write': t.telemetryWrite,
  'metrics:read': t.metricsRead,
  'audit:read': t.auditRead,
  'evidence:export': t.evidenceExport,
  'evidence:list': t.evidenceList,
  'evidence:read': t.evidenceRead,
  'evidence:raw': t.evidenceRaw,
  'hold:manage': t.holdManage,
  'subject:erase': t.subjectErase,
  'tenant:manage': t.tenantManage,
  'member:manage': t.memberManage,
  'service-account:manage': t.serviceAccountManage,
  'secret:create': t.secretCreate,
  'secret:read': t.secretRead,
  'secret:read_value': t.secretReadValue,
  'secret:revoke': t.secretRevoke,
}

/** The purpose of a role, in one line. */
export const roleText: Record<Role, string> = {
  viewer: t.viewerRole,
  developer: t.developerRole,
  operator: t.operatorRole,
  approver: t.approverRole,
  auditor: t.auditorRole,
  privacy_officer: t.privacyOfficerRole,
  tenant_admin: t.tenantAdminRole,
  'decisions:read': t.decisionsReadRole,
  'decisions:write': t.decisionsWriteRole,
  'traces:write': t.tracesWriteRole,
  'evidence:read': t.evidenceReadRole,
}

/** Roles for people, in display order. */
export const personRoles: readonly Role[] = [
  'viewer',
  'developer',
  'operator',
  'auditor',
  'approver',
  'privacy_officer',
  'tenant_admin',
]

/** "privacy_officer" → "Privacy officer"; a name with a colon is shown as it appears in tokens. */
export const roleName = (role: string): string => (role.includes(':') ? role : rolesText([role]))
